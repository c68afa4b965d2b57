import {
  type CAPTCHA_PROVIDERS,
  CAPTCHA_WIDGETS,
  captchaElement,
  captchaScript,
} from '#src/features/display/captcha.ts';
import type { FormSettings } from '../api/endpoints.ts';
import { startTag } from './snippets/escape.ts';

type Provider = (typeof CAPTCHA_PROVIDERS)[number];

export const isProvider = (protection: FormSettings['botProtection']): protection is Provider =>
  Object.hasOwn(CAPTCHA_WIDGETS, protection);

/** Returns the HTML of the challenge of an app, one line for each element; empty without one. */
export function captchaHtml({ botProtection, captcha }: FormSettings): string[] {
  if (!captcha || !isProvider(botProtection)) return [];
  const elements = [captchaElement(botProtection, captcha.siteKey), captchaScript(botProtection)];
  return elements.map(([tag, attributes]) => `${startTag(tag, attributes)}</${tag}>`);
}
