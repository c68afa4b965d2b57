import { Button, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Form } from '../../components/form/form.tsx';
import { AS_TYPED, checkboxProps } from '../../components/form/input.ts';
import { Problem } from '../../components/form/problem.tsx';
import { CrossIcon, PlusIcon } from '../../components/icons.tsx';
import { Section } from '../../components/page/section.tsx';
import { useUnsaved } from '../../drafts/unsaved.ts';
import { t } from '../../texts/texts.ts';
import { type ConnectedApp, useChangeSettings } from '../queries.ts';
import classes from '../share-page.module.css';
import { originOf, siblingOf } from './origin.ts';
import { allowing, IgnoredRedirects, RefusedOrigins } from './refused-origins.tsx';

/** The websites whose pages may submit. Every change is in force when the service has answered. */
export function OriginsCard({ app }: { app: ConnectedApp }) {
  const { settings } = app.stored;
  const change = useChangeSettings(app.sourceAppId);
  const isAny = settings.origins.includes('*');
  // The list that "Allow every website" replaced on this page.
  const [replaced, setReplaced] = useState<readonly string[]>([]);
  const allowAll = (isOn: boolean): void => {
    if (isOn) setReplaced(settings.origins);
    change.mutate(() => ({ origins: isOn ? ['*'] : [...replaced] }));
  };
  return (
    <Section id="connect-origins" title={t.connect.origins.title}>
      <Text c="dimmed">{t.connect.origins.note}</Text>
      {!isAny && <AllowedOrigins origins={settings.origins} change={change} />}
      <div className={classes.switches}>
        <Switch
          label={t.connect.origins.every}
          description={t.connect.origins.everyNote}
          {...checkboxProps(isAny, allowAll)}
          disabled={change.isPending}
        />
        <Switch
          label={t.connect.origins.files}
          description={t.connect.origins.filesNote}
          checked={settings.nullOrigin}
          disabled={change.isPending}
          onChange={(event) => {
            const nullOrigin = event.currentTarget.checked;
            change.mutate(() => ({ nullOrigin }));
          }}
        />
      </div>
      <Problem error={change.error} title={t.connect.origins.notSaved} />
      <RefusedOrigins settings={settings} change={change} />
      <IgnoredRedirects settings={settings} change={change} />
    </Section>
  );
}

interface AllowedOriginsProps {
  origins: readonly string[];
  change: ReturnType<typeof useChangeSettings>;
}

function AllowedOrigins({ origins, change }: AllowedOriginsProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  useUnsaved(() => text.trim() !== '');
  const newest = origins.at(-1);
  const sibling = newest === undefined ? undefined : siblingOf(newest);
  const add = (): void => {
    const origin = originOf(text);
    if (origin === undefined) {
      setProblem(t.connect.origins.notAnAddress);
      return;
    }
    change.mutate(allowing(origin), { onSuccess: () => setText('') });
  };
  return (
    <>
      {origins.length > 0 && (
        <ul className={classes.origins} aria-label={t.connect.origins.title}>
          {origins.map((origin) => (
            <li key={origin}>
              <span className="breaks">{origin}</span>
              <Button
                variant="subtle"
                size="compact-sm"
                color="gray"
                leftSection={<CrossIcon size={14} />}
                aria-label={t.connect.origins.removeOf(origin)}
                disabled={change.isPending}
                onClick={() =>
                  change.mutate((settings) => ({ origins: settings.origins.filter((one) => one !== origin) }))
                }
              >
                {t.common.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {sibling !== undefined && !origins.includes(sibling) && (
        <Text component="div" c="dimmed">
          {t.connect.origins.sibling(sibling)}{' '}
          <Button variant="subtle" size="compact-sm" onClick={() => change.mutate(allowing(sibling))}>
            {t.connect.origins.allowSibling}
          </Button>
        </Text>
      )}
      <Form onSubmit={add} className={classes.add} noValidate>
        <TextInput
          label={t.connect.origins.address}
          placeholder="https://www.example.com"
          inputMode="url"
          autoComplete="off"
          {...AS_TYPED}
          value={text}
          error={problem}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setProblem(undefined);
          }}
        />
        <Button type="submit" variant="default" leftSection={<PlusIcon size={16} />} loading={change.isPending}>
          {t.connect.origins.allow}
        </Button>
      </Form>
    </>
  );
}
