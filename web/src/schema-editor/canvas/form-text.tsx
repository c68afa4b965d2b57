import { type TEXT_NAMES, withTranslation } from '../../connect/settings/settings-draft.ts';
import type { SettingsEditor } from '../../connect/settings/use-settings.ts';
import { t } from '../../texts/texts.ts';
import { EditableText } from './editable-text.tsx';

interface FormTextProps {
  name: (typeof TEXT_NAMES)[number];
  part: 'title' | 'text' | 'send';
  /** What visitors see, or could see, without the text. */
  placeholder: string;
  settings: SettingsEditor;
  /** The language that is edited; empty: the one of the texts. */
  language: string;
  sheet: CSSStyleSheet;
}

/** A text of the form settings, in the language that is shown. */
export function FormText({ name, placeholder, settings, language, ...shown }: FormTextProps) {
  const { draft, edit } = settings;
  const original = draft[name];
  const own: string | undefined = JSON.parse(draft.texts || '{}')[language]?.[name];
  return (
    <EditableText
      {...shown}
      name={t.connect.settings.names[name]}
      text={language === '' ? original : (own ?? '')}
      placeholder={(language !== '' && original) || placeholder}
      isLong={name === 'description'}
      lang={language || draft.locale || 'en'}
      onChange={(text) =>
        edit(language === '' ? { [name]: text } : { texts: withTranslation(draft.texts, language, name, text) })
      }
    />
  );
}
