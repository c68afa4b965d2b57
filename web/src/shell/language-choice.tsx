import { t } from '../texts/first-texts.ts';
import { changeLanguage, LANGUAGES, type Language, language } from '../texts/language.ts';
import classes from './language-choice.module.css';

interface LanguageChoiceProps {
  /** Is called before the page loads again in another language. */
  onChange?: () => void;
}

/** The languages of the dashboard, for pages without the account menu. */
export function LanguageChoice({ onChange }: LanguageChoiceProps) {
  const change = (tag: Language): void => {
    if (tag === language) return;
    onChange?.();
    changeLanguage(tag);
  };
  return (
    <ul className={classes.languages} aria-label={t.components.language}>
      {(Object.keys(LANGUAGES) as Language[]).map((tag) => (
        <li key={tag}>
          <button
            type="button"
            lang={tag}
            className={classes.language}
            aria-current={tag === language || undefined}
            onClick={() => change(tag)}
          >
            {LANGUAGES[tag]}
          </button>
        </li>
      ))}
    </ul>
  );
}
