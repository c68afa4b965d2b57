import { ObjectId } from 'mongodb';
import { type AppModel, NOT_BEING_DELETED } from '../../core/apps/apps.model.ts';
import type { AppRevision } from '../../core/apps/revision.ts';
import type { FieldDefinition } from '../../core/fields/definition.ts';
import { AppNotFound, InvalidInput, PreconditionFailed, Unavailable } from '../../platform/core/errors.ts';
import { Masked } from '../../platform/core/value-changes.ts';
import { beginsBefore, type Until } from '../../platform/database/clock.ts';
import { type Issue, say } from '../../platform/languages/reasons.ts';
import { IMAGE_BYTES, type ImageName } from '../display/theme.ts';
import type { ConditionRules } from '../record-conditions/record-conditions.service.ts';
import { conditionsText } from '../record-conditions/stored-conditions.ts';
import type { CaptchaSettings } from './admission.ts';
import type { MailAbilities } from './app-setting.ts';
import { dataUrl, type FormImage, type FormTheme, type SentImage } from './appearance.ts';
import type { Notify, NotifyRoute } from './emails.ts';
import type { FormImageStore } from './form-images.model.ts';
import {
  DEFAULT_FORM_SETTINGS,
  type FormSettings,
  isCaptchaProvider,
  needsEvents,
  type Reply,
  type SentSettings,
  valuesOf,
} from './form-settings.ts';
import type { CountedOrigin, OriginCounts } from './origins.ts';

export interface FormSettingsView {
  /** The images are data URLs, and the routes are those of the newest schema. */
  settings: Omit<FormSettings, 'theme'> & { theme?: FormTheme<string> };
  /** For {@link PreconditionFailed}. */
  etag: string;
  refusedOrigins: readonly CountedOrigin[];
  ignoredRedirects: readonly CountedOrigin[];
}

export type FormSettingsService = ReturnType<typeof createFormSettingsService>;

/** How often a replacement that keeps the secret or images is repeated after other replacements. */
const MAX_ATTEMPTS = 5;

/** The settings of public forms (spec 4.5). Settings beyond `abilities` are refused. */
export function createFormSettingsService(deps: {
  apps: AppModel;
  images: FormImageStore;
  revision: AppRevision;
  refused: Pick<OriginCounts, 'flush'>;
  ignored: Pick<OriginCounts, 'flush'>;
  abilities: MailAbilities;
  /** Resolves with the fields of the newest schema. */
  fieldsOf(appId: ObjectId): Promise<readonly FieldDefinition[]>;
  conditionRules: Pick<ConditionRules, 'shown' | 'checked'>;
}) {
  const { apps, images, revision, refused, ignored, abilities, fieldsOf, conditionRules } = deps;
  async function get(appId: ObjectId): Promise<FormSettingsView> {
    await Promise.all([refused.flush(), ignored.flush()]);
    // By `_id`: a session must not reach a later incarnation of its app.
    const live = { _id: appId, ...NOT_BEING_DELETED };
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const app = await apps.findOne(live, { projection: { form: 1, refusedOrigins: 1, ignoredRedirects: 1 } });
      if (!app) throw new AppNotFound();
      const { revision: stored, theme, ...settings } = app.form ?? { revision: undefined, ...DEFAULT_FORM_SETTINGS };
      const { refusedOrigins = [], ignoredRedirects = [] } = app;
      const shown = theme && (await themeView(theme));
      // An image was replaced meanwhile.
      if (theme && !shown) continue;
      const notify = settings.notify?.routes && (await withShownRoutes(appId, settings.notify));
      const shownParts = { ...(shown && { theme: shown }), ...(notify && { notify }) };
      const view = { settings: { ...settings, ...shownParts }, etag: formEtag(stored) };
      return { ...view, refusedOrigins, ignoredRedirects };
    }
    throw new Unavailable();
  }

  /** Resolves with the routes under the keys of the newest schema, with the problem of each. */
  async function withShownRoutes(appId: ObjectId, { routes = [], ...others }: Notify): Promise<Notify> {
    const conditions = await conditionRules.shown(
      appId,
      routes.map(({ if: stored }) => stored),
    );
    return { ...others, routes: routes.map(({ emails }, at) => ({ ...conditions[at], emails }) as NotifyRoute) };
  }

  /** Resolves with the notifications as they are stored, and the problems of the routes. */
  async function checkedRoutes(
    appId: ObjectId,
    notify: Notify | undefined,
  ): Promise<{ notify: Notify | undefined; issues: Issue[] }> {
    if (!notify?.routes) return { notify, issues: [] };
    const { routes, ...others } = notify;
    const before = (await storedForm(appId)).notify?.routes ?? [];
    const [sent, stored] = [routes, before].map((list) => list.map(({ if: conditions }) => conditions));
    const checked = await conditionRules.checked(appId, sent ?? [], stored ?? []);
    return {
      notify: { ...others, routes: routes.map((route, at) => ({ ...route, if: checked[at]?.conditions ?? route.if })) },
      issues: checked.flatMap(({ issues }, at) =>
        issues.map((issue) => ({ ...issue, path: `notify.routes.${at}.if.${issue.path}` })),
      ),
    };
  }

  /** Resolves with the theme with its images; undefined when one is not stored. */
  async function themeView(theme: FormTheme): Promise<FormTheme<string> | undefined> {
    const { given, style } = splitTheme(theme);
    const urls = await Promise.all(given.map(async ([name, image]) => [name, await urlOf(image)] as const));
    if (urls.some(([, url]) => url === undefined)) return undefined;
    return { ...style, ...Object.fromEntries(urls) };
  }

  async function urlOf(image: FormImage): Promise<string | undefined> {
    const content = await images.find(image.id);
    return content && dataUrl(image.type, content);
  }

  /** Stores the images of a theme, each once, unless the stored settings have the same one. */
  function createImageUpload(appId: ObjectId, theme: FormTheme<SentImage> = {}) {
    const { given, style } = splitTheme(theme);
    const added = new Map<SentImage, ObjectId>();
    async function refer(image: SentImage, stored: FormImage | undefined): Promise<FormImage> {
      if (stored?.hash === image.hash) return stored;
      const id = added.get(image) ?? (await images.add(appId, image));
      added.set(image, id);
      return { id, type: image.type, hash: image.hash };
    }
    return {
      added,
      hasImages: given.length > 0,
      async themeAfter(stored: FormTheme = {}): Promise<FormTheme> {
        const after: FormTheme = { ...style };
        for (const [name, image] of given) after[name] = await refer(image, stored[name]);
        return after;
      },
    };
  }

  return {
    /** @throws {NotFound} */
    get,

    /**
     * Replaces the settings; they are in force on every server once this resolves (decision 4).
     * @param sent `captcha` counts only with a provider, and is required then
     * @param ifMatch the ETags of the only settings to replace @throws {NotFound}
     * @throws {InvalidInput} when the server cannot send the emails that the settings need, the
     *   keys of the provider are missing, or the reply or a route names an unknown field
     * @throws {PreconditionFailed} when other settings are stored
     */
    async replace(
      appId: ObjectId,
      { theme: sentTheme, captcha, ...sent }: SentSettings,
      until: Until,
      ifMatch?: readonly string[],
    ): Promise<{ view: FormSettingsView; changed: { before: object; after: object } }> {
      const { notify, issues: ofRoutes } = await checkedRoutes(appId, sent.notify);
      const settings = notify ? { ...sent, notify } : sent;
      const isProvider = isCaptchaProvider(settings.botProtection);
      const refused = [...unmetNeeds(settings, abilities), ...(await checkIssues(appId, settings)), ...ofRoutes];
      const revisions = ifMatch?.map(parseEtag).filter((one) => one !== undefined);
      const startedAt = Date.now();
      const upload = createImageUpload(appId, sentTheme);
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const isKept = isProvider && captcha?.secret === undefined;
        const stored = isKept || upload.hasImages ? await storedForm(appId) : undefined;
        const kept = stored?.botProtection === settings.botProtection ? stored.captcha?.secret : undefined;
        const keys = { siteKey: captcha?.siteKey, secret: captcha?.secret ?? kept };
        const issues = [...refused, ...(isProvider ? missingKeys(keys) : [])];
        if (issues.length > 0) throw new InvalidInput('invalidForm', issues);
        const theme = sentTheme && (await upload.themeAfter(stored?.theme));
        const end = await until();
        // `null` also matches an absent member.
        const filter = {
          _id: appId,
          $and: [
            revisions ? { 'form.revision': { $in: revisions } } : {},
            // Another replacement may change the secret and remove the images meanwhile.
            stored ? { 'form.revision': stored.revision } : {},
          ],
          ...NOT_BEING_DELETED,
          ...beginsBefore(end),
        };
        const form = {
          ...settings,
          ...(settings.reply && { reply: withoutRepeats(settings.reply) }),
          ...(theme && { theme }),
          ...(isProvider && captcha && { captcha: { ...keys, outage: captcha.outage } as CaptchaSettings }),
          revision: new ObjectId(),
        };
        // In the same step, so that events are stored whenever the settings need them.
        const consumers = { consumers: EMAIL_CONSUMER };
        const update = { $set: { form }, ...(needsEvents(settings) ? { $addToSet: consumers } : { $pull: consumers }) };
        const options = { projection: { form: 1 }, returnDocument: 'before' } as const;
        const before = await apps.findOneAndUpdate(filter, update, options);
        if (before) {
          await revision.publish();
          const used = imageIds(theme);
          const replaced = imageIds(before.form?.theme).filter((id) => !used.some((one) => one.equals(id)));
          // No server refers to them any more.
          await images.remove(appId, replaced, end);
          await images.removeUnused(appId, used, startedAt, end);
          const changed = { before: compared(before.form ?? DEFAULT_FORM_SETTINGS), after: compared(form) };
          return { view: await get(appId), changed };
        }
        const { etag } = await get(appId);
        if (revisions && !ifMatch?.includes(etag)) break;
        if (!stored) break;
      }
      await images.remove(appId, [...upload.added.values()]);
      throw revisions ? new PreconditionFailed('formChanged') : new Unavailable();
    },
  };

  /** Resolves with the problems of the settings in this app. */
  async function checkIssues(appId: ObjectId, settings: Partial<FormSettings>): Promise<Issue[]> {
    const readFields = async () => new Map((await fieldsOf(appId)).map((field) => [field.key, field]));
    const checks = valuesOf(settings).map(async ({ key, setting, value }) => {
      const issues = await setting.check?.(value, readFields, async () => (await storedForm(appId))[key]);
      return issues?.map((issue) => ({ ...issue, path: `${key}.${issue.path}` })) ?? [];
    });
    return (await Promise.all(checks)).flat();
  }

  /**
   * Resolves with the stored settings, without a revision before the first ones.
   * @throws {NotFound}
   */
  async function storedForm(appId: ObjectId): Promise<FormSettings & { revision: ObjectId | null }> {
    const app = await apps.findOne({ _id: appId, ...NOT_BEING_DELETED }, { projection: { form: 1 } });
    if (!app) throw new AppNotFound();
    return app.form ?? { ...DEFAULT_FORM_SETTINGS, revision: null };
  }
}

/** Returns what the audit log compares: without images, of which the hash differs. */
function compared({ revision: _, theme, ...settings }: Partial<FormSettings> & { revision?: ObjectId }): object {
  const { notify } = settings;
  const routes = notify?.routes?.map(({ if: conditions, emails }) => ({ if: conditionsText(conditions), emails }));
  const others = { ...settings, ...(routes && { notify: { ...notify, routes } }) };
  if (!theme) return others;
  const { logo, cover, ...style } = theme;
  const images = { ...(logo && { logo: new Masked(logo.hash) }), ...(cover && { cover: new Masked(cover.hash) }) };
  return { ...others, theme: { ...style, ...images } };
}

const withoutRepeats = (reply: Reply): Reply =>
  reply.include ? { ...reply, include: [...new Set(reply.include)] } : reply;

const IMAGE_NAMES = Object.keys(IMAGE_BYTES) as ImageName[];

/** Returns the images of a theme, and the theme without them. */
function splitTheme<Image>(theme: FormTheme<Image>) {
  const given: [ImageName, Image][] = [];
  const style: FormTheme<Image> = { ...theme };
  for (const name of IMAGE_NAMES) {
    const image = theme[name];
    delete style[name];
    if (image !== undefined) given.push([name, image]);
  }
  return { given, style: style as Omit<FormTheme<Image>, ImageName> };
}

const imageIds = (theme: FormTheme = {}): ObjectId[] => splitTheme(theme).given.map(([, { id }]) => id);

/** A provider needs both. */
function missingKeys(keys: Record<'siteKey' | 'secret', string | undefined>): Issue[] {
  const missing = (['siteKey', 'secret'] as const).filter((name) => keys[name] === undefined);
  return missing.map((name) => ({ path: `captcha.${name}`, ...say('required') }));
}

/** Reports the settings that need an email that this server cannot send. */
function unmetNeeds(settings: Partial<FormSettings>, { mail, links }: MailAbilities): Issue[] {
  const needing = (ability: keyof MailAbilities) =>
    valuesOf(settings).flatMap(({ key, setting, value }) => (setting.needs?.(value) === ability ? [key] : []));
  const linked = needing('links');
  if (!mail) return [...needing('mail'), ...linked].map((path) => ({ path, ...say('needsMail') }));
  return links ? [] : linked.map((path) => ({ path, ...say('needsPublicUrl') }));
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
