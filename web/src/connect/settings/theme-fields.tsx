import { NativeSelect, TextInput } from '@mantine/core';
import { presetOf, THEME_PRESETS } from '#src/features/display/presets.ts';
import { THEME_CORNERS, THEME_FONTS, THEME_SCHEMES } from '#src/features/display/theme.ts';
import { AS_TYPED } from '../../components/form/input.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { t } from '../../texts/texts.ts';
import { ImageField } from './image-field.tsx';
import own from './settings.module.css';
import { accentOf } from './settings-draft.ts';
import type { SettingsEditor } from './use-settings.ts';

/** What an input of colors shows without an accent: that of forms. */
const INITIAL = '#1f5fd6';

/** The appearance of the forms. */
export function ThemeFields({ editor }: { editor: SettingsEditor }) {
  const { draft, problems, edit } = editor;
  const { names, logoAltNote, accentNote, pickColor, presetNote, themes } = t.connect.settings;
  const themeAccent = presetOf(draft.preset || undefined)?.accent ?? INITIAL;
  const shownAccent = accentOf(draft) ?? themeAccent;
  const choice = <Name extends 'preset' | 'scheme' | 'font' | 'corners'>(
    name: Name,
    values: readonly string[],
    description?: string,
  ) => (
    <NativeSelect
      label={names[name]}
      description={description}
      value={draft[name]}
      error={capitalize(problems[name])}
      data={[
        { value: '', label: themes.unset },
        ...values.map((value) => ({ value, label: (themes[name] as Record<string, string>)[value] ?? value })),
      ]}
      onChange={(event) => edit({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <div className={own.fields}>
      {choice('preset', THEME_PRESETS, presetNote)}
      <TextInput
        label={names.accent}
        description={accentNote}
        placeholder={themeAccent}
        value={draft.accent}
        error={capitalize(problems.accent)}
        onChange={(event) => edit({ accent: event.currentTarget.value })}
        rightSection={
          <input
            type="color"
            aria-label={pickColor}
            className={own.color}
            value={shownAccent}
            onChange={(event) => edit({ accent: event.currentTarget.value })}
          />
        }
        {...AS_TYPED}
      />
      {choice('scheme', THEME_SCHEMES)}
      {choice('font', THEME_FONTS)}
      {choice('corners', THEME_CORNERS)}
      <ImageField name="logo" editor={editor} />
      {draft.logo && <ImageField name="logoDark" editor={editor} />}
      {draft.logo && (
        <TextInput
          label={names.logoAlt}
          description={logoAltNote}
          value={draft.logoAlt}
          error={capitalize(problems.logoAlt)}
          onChange={(event) => edit({ logoAlt: event.currentTarget.value })}
        />
      )}
      <ImageField name="cover" editor={editor} />
    </div>
  );
}
