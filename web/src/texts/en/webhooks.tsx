import type { ReactNode } from 'react';
import type { Delivery, Webhook } from '../../api/endpoints.ts';
import { formatNumber, plural } from '../format.ts';

export const webhooks = {
  title: 'Webhooks',
  note: 'A webhook tells another program of each change of a record: the service posts a signed event to its URL.',
  add: 'Add webhook',
  appNotFound: 'App not found',
  list: 'List of webhooks',
  nothing: 'No webhooks yet',
  nothingNote: (sourceAppId: string) =>
    `Add the URL of a program that should hear of new, changed and erased people of ${sourceAppId}.`,

  events: {
    'user.created': { name: 'Created', note: 'A person submitted for the first time.', inList: 'created' },
    'user.updated': {
      name: 'Updated',
      note: 'A record changed. The event names the changed paths.',
      inList: 'updated',
    },
    'user.erased': { name: 'Erased', note: 'A record was erased. The event has its ID only.', inList: 'erased' },
  } satisfies Record<Webhook['events'][number], { name: string; note: string; inList: string }>,
  /** What receives the events, with what to enter as the URL. */
  formats: {
    standard: {
      name: 'Program',
      place: 'The address of the program that receives the signed events. It begins with https://.',
    },
    slack: { name: 'Slack', place: 'The URL of an incoming webhook of a Slack app.' },
    discord: { name: 'Discord', place: 'The URL of a webhook of a channel, from its integrations.' },
    teams: {
      name: 'Microsoft Teams',
      place: 'The URL of a workflow that posts to a channel when a webhook request is received.',
    },
    text: {
      name: 'Plain text',
      place: 'The address that receives the message as plain text, such as a topic of ntfy.',
    },
  } satisfies Record<Webhook['format'], { name: string; place: string }>,

  deliveriesTo: (url: string) => `Deliveries to ${url}`,
  deliveries: 'Deliveries',
  usersEvents: (events: string) => `People ${events}`,
  added: (time: ReactNode) => <>Added {time}</>,
  enableUrl: (url: string) => `Enable ${url}`,
  enable: 'Enable',
  testUrl: (url: string) => `Send test event to ${url}`,
  test: 'Send test event',

  accepted: 'The test event was accepted',
  notAccepted: 'The test event was not accepted',
  noStatus: (problem: string) => `No status: ${problem}`,
  status: (status: number) => `Status ${status}`,

  disabled: 'Disabled',
  disabledReasons: {
    operator: 'Switched off by an operator',
    gone: 'It answered 410 Gone',
    failing: 'Every attempt failed for five days',
  } satisfies Record<NonNullable<Webhook['disabledReason']>, string>,
  active: 'Active',
  failing: 'Failing',
  // The time is relative, for example `2 hours ago`.
  failingSince: (time: ReactNode) => <>since {time}; disabled after five days</>,

  nowDisabled: 'The webhook is disabled',
  nowDisabledNote: 'Events that happen while the webhook is disabled are never delivered.',
  notDisabled: 'Not disabled',
  changeMenu: 'Change URL and events',
  rotate: 'Rotate secret',
  disable: 'Disable',

  notFound: 'Webhook not found',
  noSuchWebhook: 'No webhook has this ID',
  noSuchWebhookNote: 'The webhook may have been deleted or may belong to another app.',
  goToWebhooks: 'Go to webhooks',

  verify: 'Verify a signature',
  verifyNote:
    'Anybody can post to your URL. Accept only what the secret of the webhook signed, and in the last five minutes. ' +
    'The signatures follow Standard Webhooks, so libraries for it work too. An event can arrive more than once, with ' +
    'the same webhook-id.',
  needs: (runtime: string) => `Needs ${runtime} or newer. Nothing to install.`,
  run: (file: string, command: string) => (
    <>
      Save it as {file} and start it on port 8000: <code>{command}</code>
    </>
  ),
  /** The comments and the message of the receivers, as the programs have them. */
  receivers: {
    receives: 'Receives webhooks',
    secret: 'WEBHOOK_SECRET is the secret that begins with whsec_.',
    noSecret: 'Set WEBHOOK_SECRET to the secret of the webhook',
    minutes: '5 minutes',
    repetition: 'The same id again is a repetition.',
  },

  receiver: 'Receiver',
  secretUrl: (place: string) => `${place} The URL is secret and not shown. Leave this field empty to keep the URL.`,
  // The problem is a message of the service, in English, for example `must begin with https://`.
  wrongUrl: (problem: string) => `The URL ${problem}.`,
  otherUrls: (setting: ReactNode) => <> The setting {setting} of the service allows other addresses.</>,
  eventsToSend: 'Events',
  noEvents: 'Choose at least one event.',
  conditionsNote:
    'An event is sent only if the conditions hold for the record when the event leaves the service. Erasures are always sent.',
  submit: 'Add',

  changeTitle: 'Change webhook',
  nowAdded: 'The webhook was added',
  getsMessages: (url: string) => (
    <>
      <strong>{url}</strong> gets a message for each event from now on. Its whole URL is not shown again.
    </>
  ),
  done: 'Done',
  getsEvents: (url: string) => (
    <>
      <strong>{url}</strong> gets the events from now on. Its program verifies with this secret that an event comes from
      here.
    </>
  ),
  secretWarning: 'Save it now where your program reads it. A lost secret can only be replaced.',

  newSecret: 'New secret',
  replaceSecret:
    'Replace the secret in your program within 24 hours. Until then each event is signed with both secrets.',
  rotateNote: (url: string) => (
    <>
      <strong>{url}</strong> gets a new secret. For 24 hours each event is signed with both secrets, so that your
      program accepts every event while you replace the secret there.
    </>
  ),

  deleteTitle: 'Delete this webhook?',
  deleteNote: (url: string) => (
    <>
      <strong>{url}</strong> gets no more events. Waiting events are not delivered, and the list of deliveries is
      deleted. This cannot be undone.
    </>
  ),

  state: 'State',
  allStates: 'All states',
  states: { waiting: 'Waiting', delivered: 'Delivered', failed: 'Failed' } satisfies Record<Delivery['state'], string>,
  replaySince: 'Replay since…',
  disabledNote: 'Nothing is delivered while the webhook is disabled. Enable it to replay deliveries.',
  noneInState: 'No deliveries in this state',
  noDeliveries: 'No deliveries yet',
  noDeliveriesNote: 'Each event of this webhook is listed here for 30 days, with its attempts and the answers.',

  table: 'Table of deliveries',
  event: 'Event',
  revision: 'Revision',
  changed: 'Changed',
  details: 'Details',
  delivery: (event: string, revision: number, recordId: string) => `${event}, revision ${revision} of ${recordId}`,
  detailsOf: (delivery: string) => `Details of ${delivery}`,
  tryNow: 'Try now',
  tryNowOf: (delivery: string) => `Try now ${delivery}`,
  replay: 'Replay',
  replayOf: (delivery: string) => `Replay ${delivery}`,
  attempts: (count: number) => plural(count, { one: '# attempt', other: '# attempts' }),
  nextAttemptAt: (time: ReactNode) => <>Next attempt {time}</>,
  nextAttemptSoon: 'Next attempt in a moment',
  pathsAndMore: (paths: string, more: number) => `${paths} and ${formatNumber(more)} more`,

  deliveryTitle: 'Delivery',
  nextAttempt: 'Next attempt',
  record: 'Record',
  recordRevision: (record: ReactNode, revision: number) => (
    <>
      {record}, revision {revision}
    </>
  ),
  attemptsTitle: 'Attempts',
  noAttempts: 'None yet. An event waits for the earlier events of its record.',
  requestTitle: 'Request as it would be sent now',
  noRequest: 'No request: the record was erased.',

  replayTitle: 'Replay deliveries',
  nothingToReplay: 'Nothing to replay',
  nothingToReplayNote: 'No event since then was delivered or given up.',
  willReplay: (count: number) =>
    plural(count, { one: '# event will be delivered again', other: '# events will be delivered again' }),
  willReplayNote: 'The oldest come first.',
  replayNote: (url: string) => (
    <>
      Every event since this time that was delivered or given up goes to <strong>{url}</strong> again, with its
      webhook-id, and with the record as it is now. At most 100,000 at once; deliveries are kept for 30 days.
    </>
  ),
  since: 'Since',
};
