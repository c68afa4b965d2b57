import type { CaptchaProvider } from '../../platform/core/config.ts';
import type { Markup } from './markup.ts';

/** The challenge of a provider on a page (spec 4.5.4). */
interface CaptchaWidget {
  /** Of the provider, in every language. */
  name: string;
  /** The class of the element in which the script of the provider shows the challenge. */
  className: string;
  /** A module script has `type="module"`. */
  script: { src: string; isModule?: true };
  /** The sources that the provider documents, by directive of a Content-Security-Policy. */
  sources: Readonly<Partial<Record<string, readonly string[]>>> & Record<'script-src' | 'frame-src', readonly string[]>;
}

const CLOUDFLARE = ['https://challenges.cloudflare.com'];
const HCAPTCHA = ['https://hcaptcha.com', 'https://*.hcaptcha.com'];

export const CAPTCHA_WIDGETS: Readonly<Record<CaptchaProvider, CaptchaWidget>> = {
  turnstile: {
    name: 'Cloudflare Turnstile',
    className: 'cf-turnstile',
    script: { src: 'https://challenges.cloudflare.com/turnstile/v0/api.js' },
    sources: { 'script-src': CLOUDFLARE, 'frame-src': CLOUDFLARE },
  },
  hcaptcha: {
    name: 'hCaptcha',
    className: 'h-captcha',
    script: { src: 'https://js.hcaptcha.com/1/api.js' },
    sources: { 'script-src': HCAPTCHA, 'frame-src': HCAPTCHA, 'style-src': HCAPTCHA, 'connect-src': HCAPTCHA },
  },
  recaptcha: {
    name: 'reCAPTCHA',
    className: 'g-recaptcha',
    script: { src: 'https://www.google.com/recaptcha/api.js' },
    // The script loads another one from the second address.
    sources: {
      'script-src': ['https://www.google.com/recaptcha/', 'https://www.gstatic.com/recaptcha/'],
      'frame-src': ['https://www.google.com/recaptcha/', 'https://recaptcha.google.com/recaptcha/'],
    },
  },
  friendly: {
    name: 'Friendly Captcha',
    className: 'frc-captcha',
    script: { src: 'https://cdn.jsdelivr.net/npm/@friendlycaptcha/sdk@0.1.26/site.min.js', isModule: true },
    // Only this package: everybody can publish scripts on that host.
    sources: {
      'script-src': ['https://cdn.jsdelivr.net/npm/@friendlycaptcha/'],
      'frame-src': ['https://*.frcapi.com'],
    },
  },
};

export const CAPTCHA_PROVIDERS = Object.keys(CAPTCHA_WIDGETS) as CaptchaProvider[];

/** Returns the name of the form entry with the token of a provider. */
export const captchaEntry = (provider: CaptchaProvider): string => `${CAPTCHA_WIDGETS[provider].className}-response`;

/** Returns the element in which the script of a provider shows its challenge. */
export const captchaElement = (provider: CaptchaProvider, siteKey: string): Markup => [
  'div',
  { class: CAPTCHA_WIDGETS[provider].className, 'data-sitekey': siteKey },
];

/** Returns the script of a provider, which shows a challenge in each element of its class. */
export function captchaScript(provider: CaptchaProvider): Markup {
  const { src, isModule } = CAPTCHA_WIDGETS[provider].script;
  return ['script', { src, type: isModule && 'module', async: true, defer: true }];
}
