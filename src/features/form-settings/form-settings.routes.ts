import { z } from 'zod';
import { type Endpoints, jsonBody, type Route, routes } from '../../core/api/endpoint.ts';
import { AppPath } from '../../core/api/parameters.ts';
import { parseTags, Timestamp } from '../../platform/http/validation.ts';
import { IMAGE_BYTES } from '../display/theme.ts';
import { given } from './app-setting.ts';
import type { FormSettingsService, FormSettingsView } from './form-settings.service.ts';
import { FormSettingsRequest, FormSettingsResponse, type SentSettings, shownSettings } from './form-settings.ts';
import type { CountedOrigin } from './origins.ts';

/** The body of a replacement (spec 4.5). A response is a valid body: its counts are ignored. */
const Replacement = FormSettingsRequest.extend({
  refusedOrigins: z.unknown().optional(),
  ignoredRedirects: z.unknown().optional(),
}).meta({ id: 'FormSettingsReplacement' });

/** What the images of a theme add to a body, in base64. */
const IMAGES_BYTES = Math.ceil((4 / 3) * Object.values(IMAGE_BYTES).reduce((sum, bytes) => sum + bytes)) + 150;

const CountedOrigins = z.array(z.strictObject({ origin: z.string(), count: z.int().positive(), lastAt: Timestamp }));

// These members stay last, here and in `present`, because responses keep their order.
const { captcha, languages, texts, pages, ...others } = FormSettingsResponse.shape;

const Answer = z
  .strictObject({
    ...others,
    captcha,
    languages,
    texts,
    pages,
    refusedOrigins: CountedOrigins,
    ignoredRedirects: CountedOrigins.optional().meta({
      description: 'The origins to which forms asked in vain to send browsers (`_next`); absent if none did',
    }),
  })
  .meta({ id: 'FormSettings' });

const ETAG = { ETag: 'Identifies the settings, for `If-Match` of the replacement' };

const shared = {
  path: '/auth/apps/:sourceAppId/form',
  auth: 'session',
  load: 'light',
  tag: 'Forms',
  params: AppPath,
  response: Answer,
  responseHeaders: ETAG,
} as const;

/** The endpoints of form settings (spec 4.5). */
export const formSettingsEndpoints = {
  getFormSettings: {
    ...shared,
    method: 'get',
    scope: 'users:read',
    scoped: true,
    summary: "The settings of an app's public forms",
    description: 'For the operators of the app and for admins. An unset member is null.',
  },
  replaceFormSettings: {
    ...shared,
    method: 'put',
    scope: 'manage',
    scoped: true,
    audit: 'form.replaced',
    summary: "Replace the settings of an app's public forms",
    description:
      'Absent members are unset. After the response the settings are in force on every server. With `If-Match` the replacement succeeds only if the named settings are stored; otherwise the response is 412.',
    headers: z.object({
      'if-match': z.string().optional().meta({ description: 'The ETag of the settings to replace' }),
    }),
    body: { ...jsonBody(Replacement, 'invalidForm'), extraBytes: IMAGES_BYTES },
    errors: [412],
  },
} as const satisfies Endpoints;

export const formSettingsRoutes = (formSettings: FormSettingsService): Route[] =>
  routes(formSettingsEndpoints, {
    getFormSettings: async ({ app: { id }, res }) => {
      const view = await formSettings.get(id);
      res.setHeader('ETag', view.etag);
      return present(view);
    },

    replaceFormSettings: async ({ app: { id }, headers, body, until, res, audit }) => {
      const { refusedOrigins: _refused, ignoredRedirects: _ignored, ...settings } = body;
      const ifMatch = parseTags(headers['if-match']);
      const { view, changed } = await formSettings.replace(id, given(settings) as SentSettings, until, ifMatch);
      audit({ changed });
      res.setHeader('ETag', view.etag);
      return present(view);
    },
  });

function present({ settings, refusedOrigins, ignoredRedirects }: FormSettingsView) {
  const { name, theme, notify, languages, texts, pages, ...others } = shownSettings(settings);
  const { doubleOptIn, reply, existing, receipt, captcha, ...first } = others;
  return {
    ...first,
    ...given({ name, theme, notify, languages, texts, pages, doubleOptIn, reply, existing, receipt, captcha }),
    refusedOrigins: refusedOrigins.map(presentOrigin),
    ...(ignoredRedirects.length > 0 && { ignoredRedirects: ignoredRedirects.map(presentOrigin) }),
  };
}

function presentOrigin({ origin, count, lastAt }: CountedOrigin) {
  return { origin, count, lastAt: lastAt.toISOString() };
}
