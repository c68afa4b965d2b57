import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { AS_TYPED } from '../../components/form/input.ts';
import { conditionFields, RecordConditionsControl } from '../../record-conditions/record-conditions-control.tsx';
import { conditionTexts } from '../../schema-editor/draft/condition-texts.ts';
import { conditionOn } from '../../schema-editor/draft/conditions.ts';
import { capitalize } from '../../schema-editor/draft/messages.ts';
import { t } from '../../texts/texts.ts';
import type { ConnectedApp } from '../queries.ts';
import { type DraftRoute, routesIn, routesText } from './settings-draft.ts';
import type { SettingsEditor } from './use-settings.ts';

const MAX_ROUTES = 20;

interface RouteFieldsProps {
  app: ConnectedApp;
  editor: SettingsEditor;
  /** Whether the service sends no email. */
  isDisabled: boolean;
}

/** Edits who hears of the entries that match conditions. */
export function RouteFields({ app, editor, isDisabled }: RouteFieldsProps) {
  const { draft, problems, edit } = editor;
  const { fields } = app.schema;
  const routes = routesIn(draft);
  const isDaily = draft.notifyWhen === 'daily';
  const change = (next: readonly DraftRoute[]): void => edit({ notifyRoutes: routesText(next) });
  const add = (): void => {
    const [first] = conditionFields(fields);
    change([...routes, { ...(first && { if: { all: [conditionOn(first)] } as DraftRoute['if'] }), emails: '' }]);
  };
  return (
    <section aria-label={t.connect.settings.names.notifyRoutes}>
      <Stack gap="sm">
        <div>
          <Text fw={600} size="sm">
            {t.connect.settings.names.notifyRoutes}
          </Text>
          <Text size="xs" c="dimmed">
            {isDaily ? t.connect.settings.routesEach : t.connect.settings.routesNote}
          </Text>
        </div>
        {routes.map((route, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a route has no identity but its place
          <Stack key={index} gap="xs">
            <RecordConditionsControl
              scope={app}
              fields={fields}
              legend={conditionTexts.ofRecords.ofRoute(index + 1)}
              value={route.if}
              problems={problemsOf(problems, index)}
              onChange={(next) => change(routes.with(index, { ...route, if: next as DraftRoute['if'] }))}
            />
            <Textarea
              label={t.connect.settings.routeEmails(index + 1)}
              description={t.connect.settings.routeEmailsNote}
              rows={2}
              value={route.emails}
              error={capitalize(emailProblem(problems, index))}
              placeholder="team@example.com"
              inputMode="email"
              {...AS_TYPED}
              onChange={({ currentTarget }) => change(routes.with(index, { ...route, emails: currentTarget.value }))}
            />
            <Group>
              <Button variant="subtle" size="xs" color="gray" onClick={() => change(routes.toSpliced(index, 1))}>
                {t.connect.settings.removeRoute(index + 1)}
              </Button>
            </Group>
          </Stack>
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            disabled={isDisabled || isDaily || routes.length >= MAX_ROUTES}
            onClick={add}
          >
            {t.connect.settings.addRoute}
          </Button>
        </Group>
        {problems.notifyRoutes && <Text c="var(--mantine-color-error)">{capitalize(problems.notifyRoutes)}</Text>}
      </Stack>
    </section>
  );
}

type Problems = SettingsEditor['problems'];

/** The problems of the conditions of a route, by paths that begin with `if`. */
function problemsOf(problems: Problems, index: number): Problems {
  const path = `notify.routes.${index}.`;
  const own = Object.entries(problems).filter(([at]) => at.startsWith(`${path}if`));
  return Object.fromEntries(own.map(([at, message]) => [at.slice(path.length), message]));
}

/** The first problem of the addresses of a route. */
const emailProblem = (problems: Problems, index: number): string | undefined =>
  Object.entries(problems).find(([at]) => at.startsWith(`notify.routes.${index}.emails`))?.[1];
