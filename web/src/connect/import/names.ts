import { t } from '../../texts/texts.ts';

/** The meaning of a name that becomes no field (spec 4.5). */
export type NameMeaning = { use: 'control' | 'ignored'; text: string };

const NEXT: NameMeaning = { use: 'control', text: t.connect.import.meanings.next };
const HONEYPOT: NameMeaning = { use: 'control', text: t.connect.import.meanings.honeypot };
const IGNORED: NameMeaning = { use: 'ignored', text: t.connect.import.meanings.ignored };

const MEANINGS: Readonly<Record<string, NameMeaning>> = {
  _next: NEXT,
  _redirect: NEXT,
  redirect: NEXT,
  _error: { use: 'control', text: t.connect.import.meanings.error },
  _gotcha: HONEYPOT,
  _honey: HONEYPOT,
  _honeypot: HONEYPOT,
  botcheck: HONEYPOT,
  'bot-field': HONEYPOT,
  _key: { use: 'control', text: t.connect.import.meanings.key },
  _tz: { use: 'control', text: t.connect.import.meanings.timeZone },
  _charset_: { use: 'control', text: t.connect.import.meanings.charset },
  altcha: { use: 'control', text: t.connect.import.meanings.proofOfWork },
  _subject: IGNORED,
  _replyto: { use: 'ignored', text: t.connect.import.meanings.replyTo },
  _cc: IGNORED,
  _template: IGNORED,
  _captcha: IGNORED,
  access_key: IGNORED,
  'form-name': IGNORED,
};

/** Names of the page after the form. */
export const NEXT_NAMES: readonly string[] = ['_next', '_redirect', 'redirect'];

export function meaningOf(name: string): NameMeaning | undefined {
  if (Object.hasOwn(MEANINGS, name)) return MEANINGS[name];
  return name.startsWith('_') ? { use: 'ignored', text: t.connect.import.meanings.underscore } : undefined;
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
