import { NativeSelect, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { Field } from '../../api/endpoints.ts';
import { invalidate } from '../../api/mutations.ts';
import { Dialog } from '../../components/form/dialog.tsx';
import { DialogForm } from '../../components/form/form.tsx';
import { fieldName } from '../../components/form/labels.ts';
import { LoadError } from '../../components/page/load-error.tsx';
import { enteredValue } from '../../record/editing/draft.ts';
import { ValueControl } from '../../record/editing/value-control.tsx';
import { t } from '../../texts/texts.ts';
import { Counting, countMatches } from '../matches.tsx';
import { scopedSchemaQuery } from '../queries.ts';
import { type Scope, scopeParameter } from '../scope.ts';
import { type ChangedUsers, ChangePreview } from './change-preview.tsx';
import { ChangeProgress } from './change-progress.tsx';

interface ChangeUsersProps {
  scope: Scope;
  users: ChangedUsers;
}

/** Changes a field of many users at once. */
export function ChangeDialog({ scope, users: given, onClose }: ChangeUsersProps & { onClose: () => void }) {
  // The users of the dialog are those that were named when it opened.
  const [users] = useState(given);
  const [started, setStarted] = useState<string>();
  const schema = useQuery(scopedSchemaQuery(scope));
  const query = {
    ...scopeParameter(scope),
    ...('filter' in users && { q: users.filter.q, where: users.filter.where }),
  };
  const matches = useQuery({
    queryKey: ['changeable', query, 'selected' in users && [...users.selected.keys()]],
    queryFn: ({ signal }) => ('selected' in users ? users.selected.size : countMatches(query, signal)),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const error = matches.error ?? schema.error;
  const fields = schema.data?.fields.filter(({ kind }) => kind !== 'array' && kind !== 'file');
  return (
    <Dialog opened onClose={onClose} title={t.users.change.title} size="lg">
      {error && <LoadError error={error} onRetry={() => Promise.all([matches.refetch(), schema.refetch()])} />}
      {matches.isFetching && <Counting />}
      {started === undefined && fields && matches.data !== undefined && (
        <ChangeForm
          scope={scope}
          users={users}
          fields={fields}
          total={matches.data}
          onCount={() => matches.refetch()}
          onStarted={setStarted}
          onCancel={onClose}
        />
      )}
      {started !== undefined && <ChangeProgress scope={scope} id={started} onClose={onClose} />}
    </Dialog>
  );
}

interface ChangeFormProps extends ChangeUsersProps {
  fields: readonly Field[];
  total: number;
  /** Counts again, after a refusal because others match now. */
  onCount: () => void;
  onStarted: (id: string) => void;
  onCancel: () => void;
}

function ChangeForm({ scope, users, fields, total, onCount, onStarted, onCancel }: ChangeFormProps) {
  const [key, setKey] = useState('');
  const [text, setText] = useState('');
  const field = fields.find((one) => one.key === key);
  const value = field && enteredValue(field, text);
  const client = useQueryClient();
  const begin = useMutation({
    mutationFn: () =>
      call('PATCH /auth/users', {
        query: {
          ...scopeParameter(scope),
          ...('filter' in users && { q: users.filter.q, where: users.filter.where }),
          confirm: total,
        },
        body: {
          ...(value === undefined ? { unset: [key] } : { set: { [key]: value } }),
          ...('selected' in users && { ids: [...users.selected.keys()] }),
        },
      }),
    onSuccess: ({ id }) => {
      onStarted(id);
      void invalidate(client, 'change');
    },
    onError: onCount,
  });
  if (total === 0) return <Text>{t.users.noMatchLeft}</Text>;
  return (
    <DialogForm
      action={(field && value === undefined ? t.users.change.removeAction : t.users.change.action)(total)}
      isDangerous={field !== undefined && value === undefined}
      sending={begin}
      disabled={!field}
      onSubmit={() => field && begin.mutate()}
      onCancel={onCancel}
    >
      <NativeSelect
        label={t.users.change.field}
        data-autofocus
        value={key}
        data={[
          { value: '', label: t.users.change.chooseField },
          ...fields.map((one) => ({ value: one.key, label: fieldName(one) })),
        ]}
        onChange={(event) => {
          setKey(event.currentTarget.value);
          setText('');
          begin.reset();
        }}
      />
      {field && (
        <>
          <ValueControl key={key} field={{ ...field, label: t.users.change.newValue }} text={text} onChange={setText} />
          <Text>{value === undefined ? t.users.change.removes(total) : t.users.change.changes(total)}</Text>
          <ChangePreview scope={scope} users={users} field={field} value={value} total={total} />
        </>
      )}
    </DialogForm>
  );
}
