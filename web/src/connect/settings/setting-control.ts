import { capitalize } from '../../schema-editor/draft/messages.ts';
import { t } from '../../texts/texts.ts';
import type { SettingName } from './settings-draft.ts';
import type { SettingsEditor } from './use-settings.ts';

/** Returns the properties of the input of a setting: its name, text and problem. */
export const controlOf =
  ({ draft, problems, edit }: SettingsEditor) =>
  (name: SettingName) => ({
    label: t.connect.settings.names[name],
    value: draft[name],
    error: capitalize(problems[name]),
    onChange: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
  });
