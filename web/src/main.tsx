import { language } from './texts/language.ts';
import { loadServiceTexts } from './texts/service.ts';
import { loadTexts } from './texts/texts.ts';

document.documentElement.lang = language;

// The pages are evaluated after the texts are there. vite.config.ts preloads them.
void Promise.all([loadTexts(), loadServiceTexts()]).then(() => import('./dashboard.tsx'));
