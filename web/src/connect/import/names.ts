import { t } from '../../texts/texts.ts';

const { meanings } = t.connect.import;

/** The names that become no field, with their meaning (spec 4.5). */
const MEANINGS: Readonly<Record<string, string>> = {
  _next: meanings.next,
  _redirect: meanings.next,
  redirect: meanings.next,
  _error: meanings.error,
  _gotcha: meanings.honeypot,
  _honey: meanings.honeypot,
  _honeypot: meanings.honeypot,
  botcheck: meanings.honeypot,
  'bot-field': meanings.honeypot,
  _key: meanings.key,
  _tz: meanings.timeZone,
  _charset_: meanings.charset,
  altcha: meanings.proofOfWork,
  _replyto: meanings.replyTo,
  _subject: meanings.ignored,
  _cc: meanings.ignored,
  _template: meanings.ignored,
  _captcha: meanings.ignored,
  access_key: meanings.ignored,
  'form-name': meanings.ignored,
};

/** Names of the page after the form. */
export const NEXT_NAMES: readonly string[] = ['_next', '_redirect', 'redirect'];

/** The meaning of a name that becomes no field; undefined for others. */
export function meaningOf(name: string): string | undefined {
  if (Object.hasOwn(MEANINGS, name)) return MEANINGS[name];
  return name.startsWith('_') ? meanings.underscore : undefined;
}

/** The key in a name: `data[plan]`, `data.plan` and `plan[]` name the field `plan`. */
export function keyIn(name: string): string {
  return name.replace(/^data(?:\[([^\]]*)\]|\.(.*))/, '$1$2').replace(/\[\]$/, '');
}

const SERVICES: readonly [RegExp, string][] = [
  [/formspree\.io/i, 'Formspree'],
  [/usebasin\.com/i, 'Basin'],
  [/web3forms\.com/i, 'Web3Forms'],
  [/formsubmit\.co/i, 'FormSubmit'],
  [/getform\.io/i, 'Getform'],
  [/docs\.google\.com\/forms/i, 'Google Forms'],
];

export function serviceOf(attributes: Readonly<Record<string, string>>): string | undefined {
  if ('netlify' in attributes || 'data-netlify' in attributes) return 'Netlify Forms';
  return SERVICES.find(([pattern]) => pattern.test(attributes.action ?? ''))?.[1];
}
