import type { RecordId } from '../../core/users/users.model.ts';
import type { RecordEvent } from '../outbox/outbox.ts';
import type { ConditionReader } from '../record-conditions/record-conditions.service.ts';
import type { MailApp } from './mail-apps.ts';
import type { MailDocument } from './mail-queue.ts';

export type Recipients = ReturnType<typeof createRecipients>;

/** Decides who receives the notifications of an app (spec 4.12). */
export function createRecipients({ evaluate }: Pick<ConditionReader, 'evaluate'>) {
  const routesOf = ({ form }: MailApp) => form?.notify?.routes ?? [];
  const conditionsOf = (app: MailApp) => routesOf(app).map(({ if: conditions }) => conditions);

  /** The addresses of the routes whose conditions hold for a record as it is now. */
  async function routed(app: MailApp, recordId: RecordId): Promise<string[]> {
    const results = await evaluate(app.id, conditionsOf(app), [recordId]);
    const holds = results.get(recordId.toHexString()) ?? [];
    return routesOf(app).flatMap(({ emails }, index) => (holds[index] ? emails : []));
  }

  return {
    /** Resolves with the addresses of an email that is being sent, each once. */
    async of(app: MailApp, { purpose, recordId }: Pick<MailDocument, 'purpose' | 'recordId'>): Promise<string[]> {
      const { emails = [] } = app.form?.notify ?? {};
      const routes = routesOf(app);
      if (routes.length === 0 || purpose === 'digest') return emails;
      // A summary counts changes that everybody may have waited for.
      if (purpose === 'summary') return unique([...emails, ...routes.flatMap((route) => route.emails)]);
      return unique([...emails, ...(recordId ? await routed(app, recordId) : [])]);
    },

    /**
     * Resolves with the events of which an address hears. Without `notify.emails` the others have
     * no email, so that they count for no limit.
     */
    async amongEvents(app: MailApp, events: readonly RecordEvent[]): Promise<readonly RecordEvent[]> {
      if (events.length === 0 || routesOf(app).length === 0 || app.form?.notify?.emails.length) return events;
      const ids = new Map(events.map(({ recordId }) => [recordId.toHexString(), recordId]));
      const results = await evaluate(app.id, conditionsOf(app), [...ids.values()]);
      return events.filter(({ recordId }) => results.get(recordId.toHexString())?.includes(true));
    },
  };
}

const unique = (emails: readonly string[]): string[] => [...new Set(emails)];
