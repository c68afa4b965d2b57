import { Button, Switch, Text, TextInput, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import card from '../../components/card.module.css';
import { CrossIcon, PlusIcon } from '../../components/icons.tsx';
import { Problem } from '../../components/problem.tsx';
import classes from '../connect-page.module.css';
import { type ConnectedApp, useChangeSettings } from '../queries.ts';
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
    <section className={card.card} aria-labelledby="connect-origins">
      <div className={card.section}>
        <Title order={2} size="h4" id="connect-origins">
          Allowed websites
        </Title>
        <Text size="sm" c="dimmed">
          Browsers tell the service which website a form is on. Forms on other websites are refused. A change works at
          once.
        </Text>
        {!isAny && <AllowedOrigins origins={settings.origins} change={change} />}
        <div className={classes.switches}>
          <Switch
            label="Allow every website"
            description="Anybody can put this form on a page of theirs. Replaces the list."
            checked={isAny}
            disabled={change.isPending}
            onChange={(event) => allowAll(event.currentTarget.checked)}
          />
          <Switch
            label="Allow files on your computer"
            description={
              'For trying a form that you saved as a file. Its origin is "null". Turn it off when you are done.'
            }
            checked={settings.nullOrigin}
            disabled={change.isPending}
            onChange={(event) => {
              const nullOrigin = event.currentTarget.checked;
              change.mutate(() => ({ nullOrigin }));
            }}
          />
        </div>
        <Problem error={change.error} title="The change was not saved" />
        <RefusedOrigins settings={settings} change={change} />
        <IgnoredRedirects settings={settings} change={change} />
      </div>
    </section>
  );
}

interface AllowedOriginsProps {
  origins: readonly string[];
  change: ReturnType<typeof useChangeSettings>;
}

function AllowedOrigins({ origins, change }: AllowedOriginsProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const newest = origins.at(-1);
  const sibling = newest === undefined ? undefined : siblingOf(newest);
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const origin = originOf(text);
    if (origin === undefined) {
      setProblem('Enter the address of a website, such as https://www.example.com');
      return;
    }
    change.mutate(allowing(origin), { onSuccess: () => setText('') });
  };
  return (
    <>
      {origins.length > 0 && (
        <ul className={classes.origins} aria-label="Allowed websites">
          {origins.map((origin) => (
            <li key={origin}>
              <span className="breaks">{origin}</span>
              <Button
                variant="subtle"
                size="compact-sm"
                color="gray"
                leftSection={<CrossIcon size={14} />}
                aria-label={`Remove ${origin}`}
                disabled={change.isPending}
                onClick={() =>
                  change.mutate((settings) => ({ origins: settings.origins.filter((one) => one !== origin) }))
                }
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {sibling !== undefined && !origins.includes(sibling) && (
        <Text size="sm" component="div" c="dimmed">
          {sibling} is another website for browsers.{' '}
          <Button variant="subtle" size="compact-sm" onClick={() => change.mutate(allowing(sibling))}>
            Allow it too
          </Button>
        </Text>
      )}
      <form onSubmit={add} className={classes.add} noValidate>
        <TextInput
          label="Address of your website"
          placeholder="https://www.example.com"
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          error={problem}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setProblem(undefined);
          }}
        />
        <Button type="submit" variant="default" leftSection={<PlusIcon size={16} />} loading={change.isPending}>
          Allow
        </Button>
      </form>
    </>
  );
}
