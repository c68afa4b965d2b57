import { Checkbox, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/call.ts';
import type { KeyScope } from '../api/endpoints.ts';
import { FormActions } from '../components/form-actions.tsx';
import { SecretDialog } from '../components/one-time-secret.tsx';
import { Problem } from '../components/problem.tsx';
import { useAbilities } from '../session/abilities.tsx';
import type { Scope } from '../users/scope.ts';
import classes from './keys-page.module.css';
import { NewKey } from './new-key.tsx';
import { type NewKey as KeySettings, useCreateKey } from './queries.ts';
import { ALL_SCOPES, SCOPES } from './scopes.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const LIFETIMES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: '', label: 'Never' },
];

/** Creates an API key with the chosen scopes and shows it once. */
export function CreateKey({ scope, opened, onClose }: { scope: Scope; opened: boolean; onClose: () => void }) {
  const { schema } = useAbilities();
  const create = useCreateKey(scope);
  const close = (): void => {
    onClose();
    create.reset();
  };
  const created = create.data;
  return (
    <SecretDialog
      opened={opened}
      onClose={close}
      title={created ? `${create.variables?.name} was created` : 'Create API key'}
      isShown={created !== undefined}
    >
      {created ? (
        <NewKey text={created.key} onClose={close} />
      ) : (
        <KeyForm
          scopes={ALL_SCOPES.filter((one) => schema || !SCOPES[one].needsSchema)}
          pending={create.isPending}
          error={create.error}
          onSubmit={create.mutate}
          onCancel={close}
        />
      )}
    </SecretDialog>
  );
}

interface KeyFormProps {
  scopes: readonly KeyScope[];
  pending: boolean;
  error: Error | null;
  onSubmit: (settings: KeySettings) => void;
  onCancel: () => void;
}

function KeyForm({ scopes, pending, error, onSubmit, onCancel }: KeyFormProps) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const [days, setDays] = useState('90');
  const [networks, setNetworks] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const cidrs = networks.split(/[\s,]+/).filter((text) => text !== '');
    onSubmit({
      name: name.trim(),
      scopes: scopes.filter((one) => chosen.includes(one)),
      ...(days !== '' && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      ...(cidrs.length > 0 && { cidrs }),
    });
  };
  const networkProblem = problemAt(error, 'cidrs');
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="What uses the key, for example a server or a script."
          placeholder="Nightly export"
          required
          data-autofocus
          autoComplete="off"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemAt(error, 'name')}
        />
        <Checkbox.Group label="What the key may do" value={chosen} onChange={setChosen} required>
          <Stack gap="xs" mt="xs">
            {scopes.map((one) => (
              <Checkbox key={one} value={one} label={SCOPES[one].name} description={SCOPES[one].meaning} />
            ))}
          </Stack>
        </Checkbox.Group>
        <NativeSelect
          label="Ends"
          data={LIFETIMES}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
        />
        <Textarea
          label="Networks"
          description="Only these addresses and networks may use the key, separated by commas or lines. Leave empty for all."
          placeholder="203.0.113.0/24"
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: classes.code ?? '' }}
          value={networks}
          onChange={(event) => setNetworks(event.currentTarget.value)}
          error={networkProblem && `Each entry ${networkProblem}.`}
        />
        <Problem error={error && isOfField(error) ? null : error} />
        {chosen.length === 0 && (
          <Text size="sm" c="dimmed">
            Choose at least one thing that the key may do.
          </Text>
        )}
        <FormActions
          action="Create"
          loading={pending}
          disabled={chosen.length === 0 || name.trim() === ''}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}

const issuesOf = (error: Error | null) => (error instanceof ApiError ? error.issues : []);

/** The message of the first problem of a member. */
function problemAt(error: Error | null, member: string): string | undefined {
  return issuesOf(error).find(({ path }) => path === member || path.startsWith(`${member}.`))?.message;
}

/** Whether the form shows the error at its fields. */
function isOfField(error: Error): boolean {
  return problemAt(error, 'name') !== undefined || problemAt(error, 'cidrs') !== undefined;
}
