import type { Feature } from '../../core/feature.ts';
import type { Schemas } from '../../core/schemas/schemas.ts';
import type { Config } from '../../platform/core/config.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { CheckAdmission } from '../bots/admission.ts';
import type { FormFiles } from '../forms/form-files.ts';
import type { FindForm } from '../forms/form-pages.ts';
import type { PageAssets } from '../forms/page.ts';
import type { AnswerTimes } from '../intake/answer-times.ts';
import type { EntryMails } from '../notifications/entry-mails.ts';
import type { LinkTokens } from '../notifications/link-tokens.ts';
import type { PeopleService } from '../people/people.service.ts';
import type { Records } from '../records/records.ts';
import { entryRoutes } from './entries.routes.ts';
import { createEntryService } from './entries.service.ts';
import { createEntryData } from './entry-data.ts';
import { createEntryPageRoutes } from './entry-pages.routes.ts';
import { createEntryPages } from './entry-pages.ts';

/** Creates what people do with their own entry, by a link in an email (spec 4.16). */
export function createEntries(deps: {
  config: Pick<Config, 'publicUrl'>;
  schemas: Pick<Schemas, 'leases' | 'store'>;
  records: Records;
  tokens: LinkTokens;
  mails: EntryMails;
  checkAdmission: CheckAdmission;
  answerTimes: AnswerTimes;
  people: Pick<PeopleService, 'erase'>;
  audit: Pick<AuditLog, 'record'>;
  findForm: FindForm;
  knownFiles: FormFiles['known'];
  pageAssets: PageAssets | undefined;
}) {
  const { config, schemas, records, tokens, mails, checkAdmission, answerTimes, people, audit } = deps;
  const { findForm, knownFiles, pageAssets } = deps;
  const { leases, store } = schemas;
  const service = createEntryService({
    leases,
    records,
    tokens,
    mails,
    checkAdmission,
    answerTimes,
    people,
    data: createEntryData({ ...records.personal, staffKeysOf: store.staffKeysOf }),
    audit,
    publicUrl: config.publicUrl,
  });
  const pages = createEntryPages(findForm, pageAssets);
  const ofPages = createEntryPageRoutes({ entries: service, pages, findForm, knownFiles });
  return {
    service,
    feature: {
      headers: ['x-entry'],
      routes: [...entryRoutes({ entries: service, leases, pages }), ...ofPages.routes],
      refusals: {
        '/f/:sourceAppId/entry': ofPages.refuse,
        '/v1/forms/:sourceAppId/entry-link': ofPages.refuseAsk,
      },
    } satisfies Feature,
  };
}
