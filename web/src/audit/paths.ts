import type { Field } from '../api/endpoints.ts';
import { nameOfKey } from '../components/form/labels.ts';
import { languageName } from '../languages/languages.ts';
import { optionName } from '../schema-editor/draft/field-texts.ts';
import { language } from '../texts/language.ts';
import { t } from '../texts/texts.ts';

type Names = Readonly<Record<string, string>>;

const { settings, origins } = t.connect;

/** The settings that a path of the API names in another way than the form of the settings. */
const SETTINGS: Names = {
  ...settings.names,
  'captcha.siteKey': settings.names.captchaSiteKey,
  'captcha.secret': settings.names.captchaSecret,
  'captcha.outage': settings.names.captchaOutage,
  'notify.emails': settings.names.notifyEmails,
  'notify.when': settings.names.notifyWhen,
  'notify.routes': settings.names.notifyRoutes,
  'reply.when': settings.names.replyWhen,
  'reply.subject': settings.names.replySubject,
  'reply.text': settings.names.replyText,
  origins: origins.title,
  nullOrigin: origins.files,
};

/** The members of a field that every kind has. */
const OF_FIELDS: Names = {
  kind: t.schemaEditor.type,
  key: t.schemaEditor.key,
  label: t.schemaEditor.label,
  required: t.schemaEditor.required,
  staffOnly: t.schemaEditor.staffOnly,
};

const nameIn = (names: Names, path: string): string | undefined =>
  Object.hasOwn(names, path) ? names[path] : undefined;

/**
 * The path of a change in words, such as `Field “Email”: label`. A path that nothing names is
 * returned as it is stored. @param fields the fields that the app has now
 */
export function pathText(path: string, fields: readonly Field[] | undefined): string {
  const [first = '', ...rest] = path.split('.');
  if (first === 'fields' && rest.length > 1) return fieldText(rest, fields) ?? path;
  const known = nameIn(t.audit.paths, path) ?? nameIn(SETTINGS, path);
  if (known !== undefined) return known;
  if (path.startsWith('notify.routes.')) return settings.names.notifyRoutes;
  if (first === 'theme') return nameIn(SETTINGS, rest.join('.')) ?? path;
  const [tag = '', name = ''] = rest;
  const text = first === 'texts' && rest.length === 2 ? nameIn(SETTINGS, name) : undefined;
  return text === undefined ? path : settings.textIn(text, languageName(tag));
}

/** A member of a field: `key`, `option` and what is in the option, such as a language. */
function fieldText([key = '', option = '', ...inside]: string[], fields: readonly Field[] | undefined) {
  const named = nameIn(OF_FIELDS, option) ?? optionName(option);
  if (named === option) return undefined;
  // Within a sentence, which has capitals for nouns in German.
  const part = language === 'en' ? `${named.charAt(0).toLowerCase()}${named.slice(1)}` : named;
  return t.audit.ofField(nameOfKey(key, fields), [part, ...inside].join('.'));
}
