import { ObjectId } from 'mongodb';
import { AppNotFound, InvalidInput, PreconditionFailed, Unavailable } from '../platform/core/errors.ts';
import { beginsBefore, type Until } from '../platform/database/clock.ts';
import { type Issue, say } from '../platform/languages/reasons.ts';
import { type AppModel, NOT_BEING_DELETED } from './apps.model.ts';
import {
  type CaptchaSettings,
  type CountedOrigin,
  DEFAULT_FORM_SETTINGS,
  type FormSettings,
  isCaptchaProvider,
  needsEvents,
} from './form-settings.ts';
import type { OriginCounts } from './origins.ts';
import type { AppRevision } from './revision.ts';

export interface FormSettingsView {
  settings: FormSettings;
  /** For {@link PreconditionFailed}. */
  etag: string;
  refusedOrigins: readonly CountedOrigin[];
  ignoredRedirects: readonly CountedOrigin[];
}

export interface MailAbilities {
  /** Whether SMTP_URL is set. */
  mail: boolean;
  /** Whether PUBLIC_URL is set. */
  links: boolean;
}

export type FormSettingsService = ReturnType<typeof createFormSettingsService>;

/** As sent: without `secret` the stored one stays. */
type SentCaptcha = Pick<CaptchaSettings, 'outage'> & Record<'siteKey' | 'secret', string | undefined>;

/** How often a replacement that keeps the secret is tried again after other replacements. */
const MAX_ATTEMPTS = 5;

/** The settings of public forms (spec 4.5). Settings beyond `abilities` are refused. */
export function createFormSettingsService(deps: {
  apps: AppModel;
  revision: AppRevision;
  refused: Pick<OriginCounts, 'flush'>;
  ignored: Pick<OriginCounts, 'flush'>;
  abilities: MailAbilities;
}) {
  const { apps, revision, refused, ignored, abilities } = deps;
  async function get(appId: ObjectId): Promise<FormSettingsView> {
    await Promise.all([refused.flush(), ignored.flush()]);
    // By `_id`: a session must not reach a later incarnation of its app.
    const live = { _id: appId, ...NOT_BEING_DELETED };
    const app = await apps.findOne(live, { projection: { form: 1, refusedOrigins: 1, ignoredRedirects: 1 } });
    if (!app) throw new AppNotFound();
    const { revision: stored, ...settings } = app.form ?? { revision: undefined, ...DEFAULT_FORM_SETTINGS };
    const { refusedOrigins = [], ignoredRedirects = [] } = app;
    return { settings, etag: formEtag(stored), refusedOrigins, ignoredRedirects };
  }

  return {
    /** @throws {NotFound} */
    get,

    /**
     * Replaces the settings; they are in force on every server once this resolves (decision 4).
     * @param captcha counts only with a provider, and is required then
     * @param ifMatch the ETags of the only settings to replace @throws {NotFound}
     * @throws {InvalidInput} when the server cannot send the emails that the settings need, or the
     *   keys of the provider are missing
     * @throws {PreconditionFailed} when other settings are stored
     */
    async replace(
      appId: ObjectId,
      settings: FormSettings,
      captcha: SentCaptcha | undefined,
      until: Until,
      ifMatch?: readonly string[],
    ): Promise<FormSettingsView> {
      const isProvider = isCaptchaProvider(settings.botProtection);
      const mailProblems = mailIssues(settings, abilities);
      const revisions = ifMatch?.map(parseEtag).filter((one) => one !== undefined);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const isKept = isProvider && captcha?.secret === undefined;
        const kept = isKept ? await storedSecret(appId, settings.botProtection) : undefined;
        const keys = { siteKey: captcha?.siteKey, secret: captcha?.secret ?? kept?.secret };
        const issues = [...mailProblems, ...(isProvider ? missingKeys(keys) : [])];
        if (issues.length > 0) throw new InvalidInput('invalidForm', issues);
        // `null` also matches an absent member.
        const filter = {
          _id: appId,
          $and: [
            revisions ? { 'form.revision': { $in: revisions } } : {},
            // Another replacement may change the secret meanwhile.
            kept ? { 'form.revision': kept.revision } : {},
          ],
          ...NOT_BEING_DELETED,
          ...beginsBefore(await until()),
        };
        const form = {
          ...settings,
          ...(isProvider && captcha && { captcha: { ...keys, outage: captcha.outage } as CaptchaSettings }),
          revision: new ObjectId(),
        };
        // In the same step, so that events are stored whenever the settings need them.
        const consumers = { consumers: EMAIL_CONSUMER };
        const update = { $set: { form }, ...(needsEvents(settings) ? { $addToSet: consumers } : { $pull: consumers }) };
        const { matchedCount } = await apps.updateOne(filter, update);
        if (matchedCount === 1) {
          await revision.publish();
          return get(appId);
        }
        const { etag } = await get(appId);
        if (revisions && !ifMatch?.includes(etag)) throw new PreconditionFailed('formChanged');
        if (!kept) break;
      }
      throw revisions ? new PreconditionFailed('formChanged') : new Unavailable();
    },
  };

  /** Resolves with the stored secret, if it is one of this provider. @throws {NotFound} */
  async function storedSecret(appId: ObjectId, protection: FormSettings['botProtection']) {
    const app = await apps.findOne({ _id: appId, ...NOT_BEING_DELETED }, { projection: { form: 1 } });
    if (!app) throw new AppNotFound();
    if (!app.form?.captcha || app.form.botProtection !== protection) return undefined;
    return { secret: app.form.captcha.secret, revision: app.form.revision };
  }
}

/** A provider needs both. */
function missingKeys(keys: Record<'siteKey' | 'secret', string | undefined>): Issue[] {
  const missing = (['siteKey', 'secret'] as const).filter((name) => keys[name] === undefined);
  return missing.map((name) => ({ path: `captcha.${name}`, ...say('required') }));
}

/** Returns the settings that need an email that this server cannot send. */
function mailIssues({ notify, doubleOptIn, existing, reply }: FormSettings, { mail, links }: MailAbilities): Issue[] {
  const linked = [doubleOptIn && 'doubleOptIn', existing === 'confirm' && 'existing'].filter((path) => !!path);
  const needed = [notify && 'notify', reply && 'reply', ...linked].filter((path) => !!path);
  if (!mail) return needed.map((path) => ({ path: String(path), ...say('needsMail') }));
  return links ? [] : linked.map((path) => ({ path: String(path), ...say('needsPublicUrl') }));
}

const EMAIL_CONSUMER = 'email';

const DEFAULT_ETAG = '"default"';

function formEtag(revision: ObjectId | undefined): string {
  return revision ? `"${revision.toHexString()}"` : DEFAULT_ETAG;
}

/** Returns the revision of an ETag; null: the default settings; undefined: none. */
function parseEtag(etag: string): ObjectId | null | undefined {
  if (etag === DEFAULT_ETAG) return null;
  const [, hex] = /^"([0-9a-f]{24})"$/.exec(etag) ?? [];
  return hex === undefined ? undefined : new ObjectId(hex);
}
