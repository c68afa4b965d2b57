import type { ObjectId } from 'mongodb';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import { sampleData } from '../display/presentation.ts';
import { entryValues } from '../notifications/entry-values.ts';
import { dashboardUrl, formTitle, type MailApps } from '../notifications/mail-apps.ts';
import type { EventType } from '../outbox/outbox.ts';
import type { RecordReader, RecordValues, UnreadRecord } from '../record-reads/record-reader.ts';
import { renderMessage } from './formats.ts';
import type { DeliveryDocument, WebhookDocument } from './webhooks.model.ts';

/** A larger record is large: its body waits for room (dispatcher.ts). */
const LARGE_BYTES = 16 * 1024;
/** JSON has at most six characters for a byte of a record: an escaped control character. */
const MAX_GROWTH = 6;
const OVERHEAD = 4 * 1024;

/** Returns an upper bound on the size of the body of a large record, in bytes. */
export const maxBodyBytes = ({ bytes }: UnreadRecord): number => bytes * MAX_GROWTH + OVERHEAD;

export type DeliveryRecords = ReturnType<typeof createDeliveryRecords>;

/** Reads the records of deliveries in their current state. */
export function createDeliveryRecords(records: Pick<RecordReader, 'find' | 'findSome'>) {
  return {
    one: async ({ appId, recordId, type }: DeliveryDocument): Promise<RecordValues | undefined> =>
      type === 'user.erased' ? undefined : records.find(appId, recordId),

    /** Resolves with the existing records by id. All deliveries are of one app. */
    async many(deliveries: readonly DeliveryDocument[]): Promise<Map<string, RecordValues | UnreadRecord>> {
      const [first] = deliveries;
      if (!first) return new Map();
      const ids = deliveries.filter(({ type }) => type !== 'user.erased').map(({ recordId }) => recordId);
      return records.findSome(first.appId, ids, LARGE_BYTES);
    },
  };
}

/** Resolves with what the messages of a webhook show; undefined for the standard format. */
export type ReadForm = ReturnType<typeof createFormReader>;
type FormView = NonNullable<Awaited<ReturnType<ReadForm>>>;

export function createFormReader(deps: {
  apps: Pick<MailApps, 'ofId'>;
  fieldsOf: (appId: ObjectId) => Promise<readonly FieldDefinition[]>;
  publicUrl: string | undefined;
}) {
  const { apps, fieldsOf, publicUrl } = deps;
  return async (webhook: WebhookDocument) => {
    if (webhook.format === 'standard') return undefined;
    const { appId, sourceAppId } = webhook;
    const [app, fields] = await Promise.all([apps.ofId(appId), fieldsOf(appId)]);
    return {
      title: formTitle({ sourceAppId, form: app?.form }),
      fields,
      timeZone: app?.form?.timeZone,
      recordUrl: (id: string) => dashboardUrl(publicUrl, sourceAppId, id),
    };
  };
}

/** An event as the standard format sends it (spec 4.11). */
interface EventBody {
  type: EventType | 'webhook.test';
  timestamp: string;
  data: {
    id: string;
    sourceAppId: string;
    email?: string | undefined;
    data?: Record<string, unknown> | undefined;
    revision: number;
    changed?: string[];
  };
}

/** Returns a body (spec 4.11); undefined when the record of a change does not exist. */
export function buildBody(
  { type, at, recordId, revision, changed }: DeliveryDocument,
  webhook: WebhookDocument,
  record: RecordValues | undefined,
  form: FormView | undefined,
): string | undefined {
  if (!record && type !== 'user.erased') return undefined;
  const shown = type === 'user.erased' ? {} : { email: record?.email, data: record?.data };
  const data = {
    id: recordId.toString(),
    sourceAppId: webhook.sourceAppId,
    ...shown,
    revision,
    ...(changed && { changed }),
  };
  return renderBody(webhook, { type, timestamp: at.toISOString(), data }, form);
}

const HEADINGS = {
  'user.created': 'New entry',
  'user.updated': 'Changed entry',
  'user.erased': 'Erased entry',
  'webhook.test': 'Test message',
} satisfies Record<EventBody['type'], string>;

/** Returns an event in the format of a webhook. */
export function renderBody(webhook: WebhookDocument, event: EventBody, form: FormView | undefined): string {
  const { format } = webhook;
  if (format === 'standard' || !form) return JSON.stringify(event);
  const { type, data: entry } = event;
  const isErased = type === 'user.erased';
  const values = entryValues({ email: entry.email ?? '', data: entry.data ?? {} }, form.fields, form);
  return renderMessage(format, {
    heading: HEADINGS[type],
    title: form.title,
    values: isErased ? [{ name: 'ID', value: entry.id }] : values,
    link: isErased || type === 'webhook.test' ? undefined : form.recordUrl(entry.id),
  });
}

const SAMPLE_ID = '01924c9e-5f3a-7c11-9b0e-2f6d6a1c8e57';
const SAMPLE_TIME = '2026-01-31T08:30:00.000Z';

/** Returns an example of an event, with example values of these fields. */
export function sampleEvent<Type extends EventBody['type']>(
  type: Type,
  sourceAppId: string,
  fields: readonly FieldDefinition[],
): EventBody & { type: Type } {
  const data = sampleData({ fields });
  const shown = type === 'user.erased' ? {} : { email: 'ada@example.com', data };
  const changed = Object.keys(data).slice(0, 1);
  return {
    type,
    timestamp: SAMPLE_TIME,
    data: {
      id: SAMPLE_ID,
      sourceAppId,
      ...shown,
      revision: REVISIONS[type],
      ...(type === 'user.updated' && { changed: changed.map((key) => `data.${key}`) }),
    },
  };
}

const REVISIONS: Record<EventBody['type'], number> = {
  'webhook.test': 1,
  'user.created': 1,
  'user.updated': 2,
  'user.erased': 3,
};
