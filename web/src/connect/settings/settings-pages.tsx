import { useState } from 'react';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import { ConnectedPage } from '../connected-page.tsx';
import type { ConnectedApp } from '../queries.ts';
import { BesidePreview } from './beside-preview.tsx';
import { translatedTo } from './settings-draft.ts';
import { SettingsFields } from './settings-fields.tsx';
import { ThemeFields } from './theme-fields.tsx';
import { type SettingsEditor, useSettings } from './use-settings.ts';

interface SettingsPagesProps {
  scope: Scope;
  page: 'settings' | 'design';
}

/** The texts and rules of the form, and its appearance: two pages that edit one draft. */
export default function SettingsPages({ scope, page }: SettingsPagesProps) {
  return (
    <ConnectedPage scope={scope} title={page === 'design' ? t.connect.design : t.connect.settings.title}>
      {(app) => <Editor app={app} page={page} />}
    </ConnectedPage>
  );
}

function Editor({ app, page }: { app: ConnectedApp; page: SettingsPagesProps['page'] }) {
  // Both pages edit one draft, so that a save ends where it began.
  const editor = useSettings(app);
  if (page === 'settings') return <Settings app={app} editor={editor} />;
  return (
    <BesidePreview app={app} editor={editor} label={t.connect.design} hasDevices>
      <ThemeFields editor={editor} />
    </BesidePreview>
  );
}

function Settings({ app, editor }: { app: ConnectedApp; editor: SettingsEditor }) {
  const [chosen, setChosen] = useState('');
  const tag = translatedTo(editor.draft).includes(chosen) ? chosen : '';
  return (
    <BesidePreview app={app} editor={editor} label={t.connect.settings.form} tag={tag}>
      <SettingsFields app={app} editor={editor} fields={app.schema.fields} tag={tag} onTag={setChosen} />
    </BesidePreview>
  );
}
