import { Form } from '../../components/form/form.tsx';
import card from '../../components/page/card.module.css';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import { ConnectedPage } from '../connected-page.tsx';
import type { ConnectedApp } from '../queries.ts';
import { SaveBar } from './save-bar.tsx';
import own from './settings.module.css';
import { SettingsFields } from './settings-fields.tsx';
import { useSettings } from './use-settings.ts';

/** The rules of the form, and the emails that the service sends for it. */
export default function SettingsPage({ scope }: { scope: Scope }) {
  return (
    <ConnectedPage scope={scope} title={t.connect.settings.title}>
      {(app) => <Editor app={app} />}
    </ConnectedPage>
  );
}

function Editor({ app }: { app: ConnectedApp }) {
  const editor = useSettings(app);
  return (
    <Form noValidate onSubmit={editor.save}>
      <SaveBar settings={editor} isInForm />
      <section className={`${card.card} ${own.page}`} aria-label={t.connect.settings.form}>
        <SettingsFields app={app} editor={editor} />
      </section>
    </Form>
  );
}
