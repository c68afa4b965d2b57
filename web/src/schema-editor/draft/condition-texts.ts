import { conditions as de } from '../../texts/de/conditions.ts';
import { conditions as en } from '../../texts/en/conditions.ts';
import { language } from '../../texts/language.ts';

// Not a part of `t`, which each page loads.
export const conditionTexts = { en, de }[language];
