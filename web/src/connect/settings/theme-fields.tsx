import { NativeSelect, TextInput, Title } from '@mantine/core';
import { THEME_CORNERS, THEME_FONTS, THEME_SCHEMES } from '#src/fields/theme.ts';
import { AS_TYPED } from '../../components/form/input.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { t } from '../../texts/texts.ts';
import own from './settings.module.css';
import { accentOf } from './settings-draft.ts';
import type { SettingsEditor } from './use-settings.ts';

/** What an input of colors shows without an accent: that of forms. */
const INITIAL = '#1f5fd6';

/** The appearance of the forms. */
export function ThemeFields({ editor: { draft, problems, edit } }: { editor: SettingsEditor }) {
  const { names, design, accentNote, pickColor, themes } = t.connect.settings;
  const choice = <Name extends 'scheme' | 'font' | 'corners'>(name: Name, values: readonly string[]) => (
    <NativeSelect
      label={names[name]}
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
    <>
      <Title order={2} size="h4" mt="md">
        {design}
      </Title>
      <TextInput
        label={names.accent}
        description={accentNote}
        placeholder={INITIAL}
        value={draft.accent}
        error={capitalize(problems.accent)}
        onChange={(event) => edit({ accent: event.currentTarget.value })}
        rightSection={
          <input
            type="color"
            aria-label={pickColor}
            className={own.color}
            value={accentOf(draft) ?? INITIAL}
            onChange={(event) => edit({ accent: event.currentTarget.value })}
          />
        }
        {...AS_TYPED}
      />
      {choice('scheme', THEME_SCHEMES)}
      {choice('font', THEME_FONTS)}
      {choice('corners', THEME_CORNERS)}
    </>
  );
}
