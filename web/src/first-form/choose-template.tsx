import { Alert, Button, TextInput } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { call } from '../api/call.ts';
import { invalidate } from '../api/mutations.ts';
import { AppIdInput } from '../apps/create-app.tsx';
import { appPagesQuery, newApp } from '../apps/queries.ts';
import { Form } from '../components/form/form.tsx';
import { AS_TYPED, inputProps } from '../components/form/input.ts';
import card from '../components/page/card.module.css';
import { PageHeader } from '../components/page/page-header.tsx';
import { mailStatusQuery } from '../connect/queries.ts';
import { useUnsaved } from '../drafts/unsaved.ts';
import { useSession } from '../session/session.ts';
import { PageSkeleton } from '../shell/page-skeleton.tsx';
import { language } from '../texts/language.ts';
import { t } from '../texts/texts.ts';
import classes from './new-form.module.css';
import { TemplatePreview } from './template-preview.tsx';
import { TEMPLATE_GROUPS, TEMPLATES, type Template } from './templates.ts';

const BY_ID = { sort: 'sourceAppId', order: 'asc' } as const;

/** An app that was created here, with its password, which no other answer contains. */
export interface CreatedApp {
  sourceAppId: string;
  password: string;
}

/** Creates an app with the fields of a template. */
export function ChooseTemplate({ onCreated }: { onCreated: (app: CreatedApp) => void }) {
  const apps = useInfiniteQuery(appPagesQuery('', BY_ID));
  const [template, setTemplate] = useState<Template | undefined>(TEMPLATES[0]);
  const [typedId, setTypedId] = useState<string>();
  const proposedId = useFreeId(template?.id ?? '');
  const { app, create } = useCreation(onCreated);
  const canNotify = useQuery(mailStatusQuery({})).data?.mail ?? false;
  const { data: session } = useSession();
  const ownEmail = session?.state === 'loggedIn' ? session.account?.email : undefined;
  const [typedEmail, setEmail] = useState<string>();
  const notify = typedEmail ?? ownEmail ?? '';
  useUnsaved(() => typedId !== undefined || typedEmail !== undefined);
  if (apps.isPending) return <PageSkeleton />;
  const isFirst = apps.data?.pages.every((page) => page.apps.every(({ role }) => role === 'admin')) ?? false;
  const sourceAppId = app?.sourceAppId ?? typedId ?? proposedId;
  const submit = (): void => {
    if (template) create.mutate({ template, sourceAppId: sourceAppId.trim(), notify: canNotify ? notify.trim() : '' });
  };
  return (
    <>
      <PageHeader title={isFirst ? t.firstForm.firstTitle : t.firstForm.title} note={t.firstForm.note} />
      <Form onSubmit={submit} className={`${card.card} ${classes.form}`}>
        <div className={card.section}>
          <TemplateChoice chosen={template} onChoose={setTemplate} />
          {app && create.error && (
            <Alert color="red" role="alert" title={t.firstForm.incompleteTitle}>
              {t.firstForm.incompleteNote(app.sourceAppId, create.error.message)}
            </Alert>
          )}
          <div className={classes.create}>
            <div className={classes.id}>
              <AppIdInput
                value={sourceAppId}
                onChange={setTypedId}
                error={app ? null : create.error}
                disabled={app !== undefined}
              />
              {canNotify && (
                <TextInput
                  type="email"
                  label={t.firstForm.notify}
                  description={t.firstForm.notifyNote}
                  autoComplete="email"
                  {...AS_TYPED}
                  {...inputProps(notify, setEmail)}
                />
              )}
            </div>
            <div className={classes.row}>
              <Button type="submit" loading={create.isPending} disabled={sourceAppId.trim() === ''}>
                {app ? t.common.tryAgain : t.firstForm.createForm}
              </Button>
            </div>
          </div>
        </div>
      </Form>
    </>
  );
}

interface TemplateChoiceProps {
  chosen: Template | undefined;
  onChoose: (template: Template) => void;
}

function TemplateChoice({ chosen, onChoose }: TemplateChoiceProps) {
  const id = useId();
  return (
    <fieldset className={classes.templates}>
      <legend>{t.firstForm.template}</legend>
      {TEMPLATE_GROUPS.map(({ title, templates }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <div className={classes.choices}>
            {templates.map((template) => (
              <label key={template.id} className={classes.choice}>
                <TemplatePreview template={template} />
                <span className={classes.about}>
                  <input
                    type="radio"
                    name={id}
                    checked={template === chosen}
                    onChange={() => onChoose(template)}
                    aria-labelledby={`${id}-${template.id}`}
                    aria-describedby={`${id}-${template.id}-purpose`}
                  />
                  <span>
                    <strong id={`${id}-${template.id}`}>{template.name}</strong>
                    <span id={`${id}-${template.id}-purpose`} className={classes.purpose}>
                      {template.purpose}
                    </span>
                  </span>
                </span>
              </label>
            ))}
          </div>
        </section>
      ))}
    </fieldset>
  );
}

interface Choice {
  template: Template;
  sourceAppId: string;
  /** The email that gets each submission; empty: none. */
  notify: string;
}

/** Creates the app, then its fields and texts. After a failure it goes on with the same app. */
function useCreation(onCreated: (app: CreatedApp) => void) {
  const client = useQueryClient();
  const [app, setApp] = useState<CreatedApp>();
  const create = useMutation({
    mutationFn: async ({ template, sourceAppId, notify }: Choice) => {
      const created = app ?? (await call('POST /auth/apps', { body: newApp(sourceAppId) }));
      setApp(created);
      const params = { sourceAppId: created.sourceAppId };
      await call('PUT /auth/apps/:sourceAppId/schema', { params, body: template.schema });
      await call('PUT /auth/apps/:sourceAppId/form', {
        params,
        body: {
          ...template.settings,
          ...(language !== 'en' && { locale: language }),
          ...(notify !== '' && { notify: { emails: [notify], when: 'each' } }),
        },
      });
      return created;
    },
    onSuccess: async (created) => {
      await invalidate(client, 'apps', 'admin-stats');
      onCreated(created);
    },
  });
  return { app, create };
}

/** Returns an ID like `base` that no app has, as far as the list shows. */
function useFreeId(base: string): string {
  const { data } = useInfiniteQuery(appPagesQuery(base, BY_ID));
  const taken = new Set(data?.pages.flatMap((page) => page.apps.map(({ sourceAppId }) => sourceAppId)));
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(id)) return id;
  }
}
