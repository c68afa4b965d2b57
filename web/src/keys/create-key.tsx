import { Checkbox, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { issuesOf } from '../api/call.ts';
import type { KeyScope } from '../api/endpoints.ts';
import { CodePanel } from '../components/content/code-panel.tsx';
import { OneTimeSecret, SecretDialog } from '../components/content/one-time-secret.tsx';
import { DialogForm } from '../components/form/form.tsx';
import { inputProps } from '../components/form/input.ts';
import { useAbilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { keyCommand, sampleQuery } from './key-command.ts';
import classes from './keys-page.module.css';
import { useCreateKey } from './queries.ts';

/** The scopes of API keys, in the order of the form. */
const SCOPES = Object.keys(t.keys.scopes) as KeyScope[];
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
    if (!create.isPending) create.reset();
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
        <OneTimeSecret
          name="key"
          text={created.key}
          warning={t.keys.warning}
          example={<KeyCommand scope={scope} secret={created.key} scopes={create.variables?.scopes ?? []} />}
          onClose={close}
        >
          <Text>{t.keys.use()}</Text>
        </OneTimeSecret>
      ) : (
        <KeyForm scopes={SCOPES.filter((one) => schema || one !== 'schema:write')} create={create} onCancel={close} />
      )}
    </SecretDialog>
  );
}

interface KeyCommandProps {
  scope: Scope;
  secret: string;
  scopes: readonly KeyScope[];
}

/** A command that uses the new key. */
function KeyCommand({ scope, secret, scopes }: KeyCommandProps) {
  const { data: sample } = useQuery(sampleQuery(scope, scopes));
  if (!sample) return null;
  return (
    <div className={classes.command}>
      <CodePanel text={keyCommand(secret, sample)} purpose={<Text>{t.keys.tryIt}</Text>} />
    </div>
  );
}

interface KeyFormProps {
  scopes: readonly KeyScope[];
  create: ReturnType<typeof useCreateKey>;
  onCancel: () => void;
}

function KeyForm({ scopes, create, onCancel }: KeyFormProps) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const [days, setDays] = useState('90');
  const [networks, setNetworks] = useState('');
  const submit = (): void => {
    const cidrs = networks.split(/[\s,]+/).filter((text) => text !== '');
    create.mutate({
      name: name.trim(),
      scopes: scopes.filter((one) => chosen.includes(one)),
      ...(days !== '' && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      ...(cidrs.length > 0 && { cidrs }),
    });
  };
  const nameProblem = problemAt(create.error, 'name');
  const networkProblem = problemAt(create.error, 'cidrs');
  return (
    <DialogForm
      action={t.keys.submit}
      sending={create}
      error={nameProblem || networkProblem ? null : create.error}
      disabled={chosen.length === 0 || name.trim() === ''}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <TextInput
        label={t.common.name}
        description={t.keys.nameNote}
        placeholder={t.keys.nameExample}
        required
        data-autofocus
        autoComplete="off"
        maxLength={100}
        {...inputProps(name, setName)}
        error={nameProblem}
      />
      <Checkbox.Group label={t.keys.allowed} value={chosen} onChange={setChosen} required>
        <Stack gap="xs" mt="xs">
          {scopes.map((one) => (
            <Checkbox key={one} value={one} label={t.keys.scopes[one].name} description={t.keys.scopes[one].meaning} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect label={t.keys.ends} data={LIFETIMES} {...inputProps(days, setDays)} />
      <Textarea
        label={t.keys.networks}
        description={t.keys.networksNote}
        placeholder="203.0.113.0/24"
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: classes.code ?? '' }}
        {...inputProps(networks, setNetworks)}
        error={networkProblem && t.keys.wrongNetwork(networkProblem)}
      />
      {chosen.length === 0 && <Text c="dimmed">{t.keys.allowNothing}</Text>}
    </DialogForm>
  );
}

/** The message of the first problem of a member. */
function problemAt(error: Error | null, member: string): string | undefined {
  return issuesOf(error).find(({ path }) => path === member || path.startsWith(`${member}.`))?.message;
}
