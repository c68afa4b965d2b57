import { language } from './texts/language.ts';
import { loadTexts } from './texts/texts.ts';

document.documentElement.lang = language;

// The pages are evaluated after the texts are there. vite.config.ts preloads them.
void loadTexts().then(() => import('./dashboard.tsx'));
