import { loadFirstTexts } from './texts/first-texts.ts';
import { language } from './texts/language.ts';
import { loadReasons } from './texts/reasons.ts';

document.documentElement.lang = language;
const texts = Promise.allSettled([loadFirstTexts(), loadReasons()]);

// The pages are evaluated after the texts are there. Texts that cannot be loaded are English.
void texts.then(() => import('./dashboard.tsx'));
