import type { Apps } from '../core/apps/apps.ts';
import type { Feature } from '../core/feature.ts';
import type { Schemas } from '../core/schemas/schemas.ts';
import { createSubmissionService, type SubmissionService } from '../core/users/submissions.service.ts';
import type { Config } from '../platform/core/config.ts';
import { AppError } from '../platform/core/errors.ts';
import type { Logger } from '../platform/core/logger.ts';
import type { Connection } from '../platform/database/client.ts';
import type { DatabaseClock } from '../platform/database/clock.ts';
import { firstIdAt } from '../platform/database/ordered-ids.ts';
import { ownedBy } from '../platform/database/removal.ts';
import type { SharedLimits } from '../platform/database/shared-limits.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { AppActivity } from './activity/activity.ts';
import { createAdmissionCheck, createCapacity, createSeats } from './bots/admission.ts';
import { createCaptchaCheck, createProviderQuestions } from './bots/captcha.ts';
import { CHALLENGES_PER_MINUTE, challengeRoutes, createChallengeLimiter } from './bots/challenges.routes.ts';
import { createChallengeSpending, createChallenges, createSpentChallengeModel, spentByApp } from './bots/challenges.ts';
import type { Files } from './files/files.ts';
import { createKnownFiles } from './files/known-files.ts';
import { createFormBodies } from './form-bodies/form-bodies.ts';
import type { FormImageStore } from './form-settings/form-images.model.ts';
import type { OriginCounts } from './form-settings/origins.ts';
import { createFormRefusals } from './forms/form-answers.ts';
import { createFormFiles } from './forms/form-files.ts';
import { formPageRoutes } from './forms/form-pages.routes.ts';
import { createFormLookup, createFormPages } from './forms/form-pages.ts';
import { formRoutes } from './forms/forms.routes.ts';
import type { PageAssets } from './forms/page.ts';
import { type createHeldModel, createHeldOfPerson, type HeldStore } from './held/held.model.ts';
import { heldRoutes } from './held/held.ts';
import { createHeldRelease } from './held/release.ts';
import { createAnswerTimes } from './intake/answer-times.ts';
import { intakeRoutes } from './intake/intake.routes.ts';
import { Intake } from './intake/intake.ts';
import { createKnownPeopleRules, type PlannedChange, type UnchangedRecord } from './intake/known-people.ts';
import type { Records } from './records/records.ts';
import type { RenameStore } from './renames/rename-store.ts';
import { uploadRoutes } from './uploads/uploads.routes.ts';
import { createUploads } from './uploads/uploads.service.ts';

/**
 * Creates the feature that accepts submissions.
 *
 * @param deps.secret derives the keys of challenges
 */
export function createSubmissions(deps: {
  connection: Connection;
  apps: Apps;
  activity: AppActivity;
  schemas: Schemas;
  renames: RenameStore;
  records: Records;
  files: Files;
  heldModel: ReturnType<typeof createHeldModel>;
  held: HeldStore;
  clock: DatabaseClock;
  ignoredRedirects: OriginCounts;
  images: FormImageStore;
  secret: string;
  pageAssets: PageAssets | undefined;
  metrics: Metrics;
  logger: Logger;
  limits: SharedLimits;
  config: Pick<Config, 'workers' | 'captchaUrls' | 'publicUrl' | 'rateLimitSubmit'>;
  planChange(change: PlannedChange): Promise<void>;
  planConfirmation(kept: UnchangedRecord): Promise<void>;
  checkEntryLink(sourceAppId: string, token: string): Promise<unknown>;
  answerStepMs: number | undefined;
}) {
  const { config, connection, apps, schemas, records, held, clock, secret, pageAssets, metrics, logger } = deps;
  const { leases, findApp } = schemas;
  const models = { spent: createSpentChallengeModel(connection), held: deps.heldModel };
  const challenges = createChallenges(secret);
  const seats = createSeats(apps.model, records.reader.count);
  const capacity = createCapacity({ records: records.reader, seats });
  const { planChange, planConfirmation, limits } = deps;
  const answerTimes = createAnswerTimes({ stepMs: deps.answerStepMs });
  const intake = {
    activity: deps.activity,
    findApplied: records.findApplied,
    formerEmails: records.formerEmails,
    erase: records.erase,
    held,
    capacity,
    leases,
    store: records.submissions,
    revalidation: records.revalidation,
    files: records.fileClaims,
    checkAdmission: createAdmissionCheck({
      challenges,
      spendChallenge: createChallengeSpending(models.spent.collection, clock.later),
      checkCaptcha: createCaptchaCheck({
        spent: models.spent.collection,
        ask: createProviderQuestions(config.captchaUrls, { logger, metrics }),
        clock,
        publicHost: config.publicUrl && new URL(config.publicUrl).hostname,
      }),
    }),
    answerTimes,
    knownPeople: createKnownPeopleRules({ records, capacity, held, limits, planChange, planConfirmation }),
  };
  const service = countSubmissions(
    createSubmissionService({ leases, users: records, handle: (options) => new Intake(intake, options) }),
    metrics,
  );
  const release = createHeldRelease({ store: held, submissions: service, renames: deps.renames, clock });
  const pages = createFormPages(pageAssets);
  const { rateLimitSubmit, workers } = config;
  const uploads = createUploads({ leases, incoming: deps.files.incoming, secret, rateLimitSubmit, workers });
  const { fileLimit } = schemas;
  const files = createFormFiles({
    leases,
    receive: uploads.receive,
    find: createKnownFiles(deps.files.files),
    checkEntryLink: deps.checkEntryLink,
    fileLimit,
  });
  const refusals = createFormRefusals({ leases, pages, files, fileLimit });
  const findForm = createFormLookup(leases, fileLimit);
  return {
    service,
    challenges,
    checkAdmission: intake.checkAdmission,
    answerTimes,
    /** The files of strangers. */
    uploads,
    /** The files that the entries of a form name. */
    knownFiles: files.known,
    findForm,
    /** The changes that wait for the links in their emails. */
    changes: {
      find: held.findChange,
      isApplied: held.isApplied,
      dataFor: release.dataFor,
      release: release.release,
    },
    feature: {
      bodies: createFormBodies(files.sink),
      headers: HEADERS,
      routes: [
        // Routes are tried in this order: the most frequent requests first.
        ...intakeRoutes(service),
        ...challengeRoutes(challenges, findApp, createChallengeLimiter(CHALLENGES_PER_MINUTE, config.workers)),
        ...formRoutes({ submissions: service, leases, refusals, ignoredRedirects: deps.ignoredRedirects, files }),
        ...uploadRoutes(uploads),
        ...formPageRoutes(findForm, pages, deps.images),
        ...heldRoutes(held, release),
      ],
      refusals: { '/v1/forms': refusals.refuse, '/f': refusals.refusePage },
      models: Object.values(models),
      owned: [
        ownedBy(models.spent.collection, 'at', { of: spentByApp }),
        ownedBy(models.held.collection, '_id', { valueAt: firstIdAt, keyMembers: ['email'] }),
      ],
      personal: [createHeldOfPerson(models.held.collection)],
      overview: { held: held.countByApp },
    } satisfies Feature,
  };
}

/** Those of uploads, challenges and CAPTCHAs, and those that jQuery and htmx add to a form. */
const HEADERS = [
  'Content-Range',
  'Content-Disposition',
  'x-altcha',
  'x-captcha',
  'X-Requested-With',
  'HX-Request',
  'HX-Boosted',
  'HX-Current-URL',
  'HX-History-Restore-Request',
  'HX-Prompt',
  'HX-Target',
  'HX-Trigger',
  'HX-Trigger-Name',
];

/** The results by status. Any other error is an unavailable database. */
const REFUSALS: Record<number, string> = {
  400: 'invalid',
  403: 'forbidden',
  409: 'conflict',
  413: 'too_large',
  422: 'key_reused',
  429: 'limited',
};

/** Returns the service with a counter of submissions by result. */
function countSubmissions(service: SubmissionService, metrics: Metrics): SubmissionService {
  if (!metrics.isOn) return service;
  const help = 'Submissions whose body was read, by result';
  const count = metrics.counter('submissions_total', { help, labels: ['result'] });
  return {
    async submit(...submission) {
      try {
        const stored = await service.submit(...submission);
        count({ result: stored.held ? 'held' : 'stored' });
        return stored;
      } catch (error) {
        count({ result: (error instanceof AppError && REFUSALS[error.status]) || 'unavailable' });
        throw error;
      }
    },
  };
}
