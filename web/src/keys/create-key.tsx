import { Checkbox, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { issuesOf } from '../api/call.ts';
import type { KeyScope } from '../api/endpoints.ts';
import { FormActions } from '../components/form-actions.tsx';
import { SecretDialog } from '../components/one-time-secret.tsx';
import { Problem } from '../components/problem.tsx';
import { useAbilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import classes from './keys-page.module.css';
import { NewKey } from './new-key.tsx';
import { type NewKey as KeySettings, useCreateKey } from './queries.ts';
import { SCOPES } from './scopes.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const LIFETIMES = [
  { value: '30', label: t.keys.in30Days },
  { value: '90', label: t.keys.in90Days },
  { value: '365', label: t.keys.inAYear },
  { value: '', label: t.keys.never },
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
      title={created ? t.keys.created(create.variables?.name ?? '') : t.keys.create}
      isShown={created !== undefined}
    >
      {created ? (
        <NewKey text={created.key} onClose={close} />
      ) : (
        <KeyForm
          scopes={SCOPES.filter((one) => schema || one !== 'schema:write')}
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
          label={t.common.name}
          description={t.keys.nameNote}
          placeholder={t.keys.nameExample}
          required
          data-autofocus
          autoComplete="off"
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={problemAt(error, 'name')}
        />
        <Checkbox.Group label={t.keys.allowed} value={chosen} onChange={setChosen} required>
          <Stack gap="xs" mt="xs">
            {scopes.map((one) => (
              <Checkbox
                key={one}
                value={one}
                label={t.keys.scopes[one].name}
                description={t.keys.scopes[one].meaning}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <NativeSelect
          label={t.keys.ends}
          data={LIFETIMES}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
        />
        <Textarea
          label={t.keys.networks}
          description={t.keys.networksNote}
          placeholder="203.0.113.0/24"
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: classes.code ?? '' }}
          value={networks}
          onChange={(event) => setNetworks(event.currentTarget.value)}
          error={networkProblem && t.keys.wrongNetwork(networkProblem)}
        />
        <Problem error={error && isOfField(error) ? null : error} />
        {chosen.length === 0 && <Text c="dimmed">{t.keys.allowNothing}</Text>}
        <FormActions
          action={t.keys.submit}
          loading={pending}
          disabled={chosen.length === 0 || name.trim() === ''}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}

/** The message of the first problem of a member. */
function problemAt(error: Error | null, member: string): string | undefined {
  return issuesOf(error).find(({ path }) => path === member || path.startsWith(`${member}.`))?.message;
}

/** Whether the form shows the error at its fields. */
function isOfField(error: Error): boolean {
  return problemAt(error, 'name') !== undefined || problemAt(error, 'cidrs') !== undefined;
}
