import { language } from './texts/language.ts';
import { loadServiceTexts } from './texts/service.ts';
import { loadTexts } from './texts/texts.ts';

document.documentElement.lang = language;
const texts = Promise.allSettled([loadTexts(), loadServiceTexts()]);

// The pages are evaluated after the texts are there. Texts that cannot be loaded are English.
void texts.then(() => import('./dashboard.tsx'));
