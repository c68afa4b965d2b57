import type { webhooks as en } from '../en/webhooks.tsx';
import { formatNumber, plural } from '../format.ts';

export const webhooks: typeof en = {
  title: 'Webhooks',
  note: 'Ein Webhook meldet einem anderen Programm jede Änderung eines Datensatzes: Der Dienst sendet per POST ein signiertes Ereignis an die URL des Webhooks.',
  add: 'Webhook hinzufügen',
  appNotFound: 'App nicht gefunden',
  list: 'Liste der Webhooks',
  nothing: 'Noch keine Webhooks',
  nothingNote: (sourceAppId) =>
    `Fügen Sie die URL eines Programms hinzu, das von neuen, geänderten und endgültig gelöschten Personen von ${sourceAppId} erfahren soll.`,

  events: {
    'user.created': { name: 'Angelegt', note: 'Eine Person hat zum ersten Mal eingesendet.', inList: 'angelegt' },
    'user.updated': {
      name: 'Geändert',
      note: 'Ein Datensatz wurde geändert. Das Ereignis nennt die geänderten Pfade.',
      inList: 'geändert',
    },
    'user.erased': {
      name: 'Endgültig gelöscht',
      note: 'Ein Datensatz wurde endgültig gelöscht. Das Ereignis enthält nur seine ID.',
      inList: 'endgültig gelöscht',
    },
  },
  formats: {
    standard: {
      name: 'Programm',
      place: 'Die Adresse des Programms, das die signierten Ereignisse empfängt. Sie beginnt mit https://.',
    },
    slack: { name: 'Slack', place: 'Die URL eines eingehenden Webhooks einer Slack-App.' },
    discord: { name: 'Discord', place: 'Die URL eines Webhooks aus den Integrationen eines Kanals.' },
    teams: {
      name: 'Microsoft Teams',
      place: 'Die URL eines Workflows, der in einem Kanal postet, wenn eine Webhook-Anforderung empfangen wird.',
    },
    text: {
      name: 'Nur Text',
      place: 'Die Adresse, die die Nachricht als reinen Text empfängt, zum Beispiel ein Thema von ntfy.',
    },
  },

  deliveriesTo: (url) => `Zustellungen an ${url}`,
  deliveries: 'Zustellungen',
  usersEvents: (events) => `Personen: ${events}`,
  added: (time) => <>Hinzugefügt: {time}</>,
  enableUrl: (url) => `${url} aktivieren`,
  enable: 'Aktivieren',
  testUrl: (url) => `Testereignis senden an ${url}`,
  test: 'Testereignis senden',

  accepted: 'Das Testereignis wurde angenommen',
  notAccepted: 'Das Testereignis wurde nicht angenommen',
  noStatus: (problem) => `Kein Status: ${problem}`,
  status: (status) => `Status ${status}`,

  disabled: 'Deaktiviert',
  disabledReasons: {
    operator: 'Von einem Betreiber ausgeschaltet',
    gone: 'Die Antwort war 410 Gone',
    failing: 'Fünf Tage lang schlug jeder Versuch fehl',
  },
  active: 'Aktiv',
  failing: 'Gestört',
  failingSince: (time) => <>erster Fehler {time}; wird nach fünf Tagen deaktiviert</>,

  nowDisabled: 'Der Webhook ist deaktiviert',
  nowDisabledNote: 'Ereignisse, die bei deaktiviertem Webhook geschehen, werden nie zugestellt.',
  notDisabled: 'Nicht deaktiviert',
  changeMenu: 'URL und Ereignisse ändern',
  rotate: 'Geheimnis erneuern',
  disable: 'Deaktivieren',

  notFound: 'Webhook nicht gefunden',
  noSuchWebhook: 'Kein Webhook hat diese ID',
  noSuchWebhookNote: 'Der Webhook wurde vielleicht gelöscht oder gehört zu einer anderen App.',
  goToWebhooks: 'Zu den Webhooks',

  verify: 'Signatur prüfen',
  verifyNote:
    'An Ihre URL kann jeder senden. Nehmen Sie nur an, was in den letzten fünf Minuten mit dem Geheimnis des Webhooks ' +
    'signiert wurde. Die Signaturen folgen Standard Webhooks, sodass auch Bibliotheken dafür funktionieren. Ein ' +
    'Ereignis kann mehrmals ankommen, mit derselben webhook-id.',
  needs: (runtime) => `Benötigt ${runtime} oder neuer. Sie müssen nichts installieren.`,
  run: (file, command) => (
    <>
      Speichern Sie das Programm als {file} und starten Sie es auf Port 8000: <code>{command}</code>
    </>
  ),
  receivers: {
    receives: 'Empfängt Webhooks',
    secret: 'WEBHOOK_SECRET ist das Geheimnis, das mit whsec_ beginnt.',
    noSecret: 'WEBHOOK_SECRET muss das Geheimnis des Webhooks sein',
    minutes: '5 Minuten',
    repetition: 'Dieselbe ID noch einmal ist eine Wiederholung.',
  },

  receiver: 'Empfänger',
  secretUrl: (place) =>
    `${place} Die URL ist geheim und wird nicht angezeigt. Lassen Sie das Feld leer, um die URL zu behalten.`,
  wrongUrl: (problem) => `Ungültige URL: ${problem}.`,
  otherUrls: (setting) => <> Die Einstellung {setting} des Dienstes erlaubt andere Adressen.</>,
  eventsToSend: 'Ereignisse',
  noEvents: 'Wählen Sie mindestens ein Ereignis aus.',
  conditionsNote:
    'Ein Ereignis wird nur gesendet, wenn die Bedingungen für den Datensatz gelten, während es den Dienst verlässt. ' +
    'Löschungen werden immer gesendet.',
  submit: 'Hinzufügen',

  changeTitle: 'Webhook ändern',
  nowAdded: 'Der Webhook wurde hinzugefügt',
  getsMessages: (url) => (
    <>
      <strong>{url}</strong> erhält ab jetzt eine Nachricht zu jedem Ereignis. Die vollständige URL wird nicht noch
      einmal angezeigt.
    </>
  ),
  done: 'Fertig',
  getsEvents: (url) => (
    <>
      <strong>{url}</strong> erhält ab jetzt die Ereignisse. Mit diesem Geheimnis prüft das Programm dort, ob ein
      Ereignis von hier kommt.
    </>
  ),
  secretWarning:
    'Speichern Sie es jetzt dort, wo Ihr Programm es liest. Ein verlorenes Geheimnis lässt sich nur ersetzen.',

  newSecret: 'Neues Geheimnis',
  replaceSecret:
    'Ersetzen Sie das Geheimnis in Ihrem Programm innerhalb von 24 Stunden. Bis dahin ist jedes Ereignis mit beiden signiert.',
  rotateNote: (url) => (
    <>
      <strong>{url}</strong> erhält ein neues Geheimnis. 24 Stunden lang ist jedes Ereignis mit beiden signiert, damit
      Ihr Programm alle Ereignisse annimmt, während Sie das Geheimnis dort ersetzen.
    </>
  ),

  deleteTitle: 'Diesen Webhook löschen?',
  deleteNote: (url) => (
    <>
      <strong>{url}</strong> erhält keine Ereignisse mehr. Wartende Ereignisse werden nicht zugestellt, und die Liste
      der Zustellungen wird gelöscht. Das kann nicht rückgängig gemacht werden.
    </>
  ),

  state: 'Status',
  allStates: 'Alle Status',
  states: { waiting: 'Wartet', delivered: 'Zugestellt', failed: 'Fehlgeschlagen' },
  replaySince: 'Erneut senden ab …',
  disabledNote:
    'Solange der Webhook deaktiviert ist, wird nichts zugestellt. Aktivieren Sie ihn, um Zustellungen erneut zu senden.',
  noneInState: 'Keine Zustellungen mit diesem Status',
  noDeliveries: 'Noch keine Zustellungen',
  noDeliveriesNote:
    'Jedes Ereignis dieses Webhooks steht hier 30 Tage lang, mit seinen Versuchen und den Antworten darauf.',

  table: 'Tabelle der Zustellungen',
  event: 'Ereignis',
  revision: 'Revision',
  changed: 'Geändert',
  details: 'Details',
  delivery: (event, revision, recordId) => `${event}, Revision ${revision} von ${recordId}`,
  detailsOf: (delivery) => `Details zu ${delivery}`,
  tryNow: 'Jetzt versuchen',
  tryNowOf: (delivery) => `Jetzt versuchen: ${delivery}`,
  replay: 'Erneut senden',
  replayOf: (delivery) => `Erneut senden: ${delivery}`,
  attempts: (count) => plural(count, { one: '# Versuch', other: '# Versuche' }),
  nextAttemptAt: (time) => <>Nächster Versuch: {time}</>,
  nextAttemptSoon: 'Nächster Versuch gleich',
  pathsAndMore: (paths, more) => `${paths} und ${formatNumber(more)} weitere`,

  deliveryTitle: 'Zustellung',
  nextAttempt: 'Nächster Versuch',
  record: 'Datensatz',
  recordRevision: (record, revision) => (
    <>
      {record}, Revision {revision}
    </>
  ),
  attemptsTitle: 'Versuche',
  noAttempts: 'Noch keine. Ein Ereignis wartet auf die früheren Ereignisse seines Datensatzes.',
  requestTitle: 'Anfrage, wie sie jetzt gesendet würde',
  noRequest: 'Keine Anfrage: Der Datensatz wurde endgültig gelöscht.',

  replayTitle: 'Zustellungen erneut senden',
  nothingToReplay: 'Nichts erneut zu senden',
  nothingToReplayNote: 'Seit diesem Zeitpunkt wurde kein Ereignis zugestellt oder aufgegeben.',
  willReplay: (count) =>
    plural(count, { one: '# Ereignis wird erneut gesendet', other: '# Ereignisse werden erneut gesendet' }),
  willReplayNote: 'Die ältesten kommen zuerst.',
  replayNote: (url) => (
    <>
      Jedes Ereignis seit diesem Zeitpunkt, das zugestellt oder aufgegeben wurde, wird erneut an <strong>{url}</strong>{' '}
      gesendet, mit seiner webhook-id und mit dem Datensatz, wie er jetzt ist. Höchstens 100.000 auf einmal;
      Zustellungen werden 30 Tage aufbewahrt.
    </>
  ),
  since: 'Seit',
};
