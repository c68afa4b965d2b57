import { type Route, routes } from '../../api/endpoint.ts';
import { tagsOf } from '../../api/if-match.ts';
import type { AppScope } from '../app-scope.ts';
import { formSettingsEndpoints } from './form-settings.contract.ts';
import type { FormSettingsService, FormSettingsView } from './form-settings.service.ts';
import type { CountedOrigin, FormSettings } from './form-settings.ts';

/** The endpoints of form settings (spec 4.5). */
export const formSettingsRoutes = (formSettings: FormSettingsService, scope: AppScope): Route[] =>
  routes(formSettingsEndpoints, {
    getFormSettings: async ({ principal, params, res }) => {
      const { id } = await scope(principal, params.sourceAppId);
      const view = await formSettings.get(id);
      res.setHeader('ETag', view.etag);
      return present(view);
    },

    replaceFormSettings: async ({ principal, params, headers, body, res }) => {
      const { id } = await scope(principal, params.sourceAppId);
      const { refusedOrigins: _refused, ignoredRedirects: _ignored, ...settings } = body;
      const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
      const view = await formSettings.replace(id, given as unknown as FormSettings, tagsOf(headers['if-match']));
      res.setHeader('ETag', view.etag);
      return present(view);
    },
  });

function present({ settings, refusedOrigins, ignoredRedirects }: FormSettingsView) {
  const { title, description, submitLabel, thanks, locale, timeZone, next, submitPerMinute, maxRecords } = settings;
  return {
    title: title ?? null,
    description: description ?? null,
    submitLabel: submitLabel ?? null,
    thanks: thanks ?? null,
    locale: locale ?? null,
    timeZone: timeZone ?? null,
    origins: [...settings.origins],
    nullOrigin: settings.nullOrigin,
    next: next ?? null,
    botProtection: settings.botProtection,
    submitPerMinute: submitPerMinute ?? null,
    closesAt: settings.closesAt?.toISOString() ?? null,
    maxRecords: maxRecords ?? null,
    // Absent while unset, so that the answer for an app without them stays as it was.
    ...(settings.notify && { notify: { emails: [...settings.notify.emails], when: settings.notify.when } }),
    ...(settings.doubleOptIn && { doubleOptIn: settings.doubleOptIn }),
    refusedOrigins: refusedOrigins.map(presentOrigin),
    ...(ignoredRedirects.length > 0 && { ignoredRedirects: ignoredRedirects.map(presentOrigin) }),
  };
}

function presentOrigin({ origin, count, lastAt }: CountedOrigin) {
  return { origin, count, lastAt: lastAt.toISOString() };
}
