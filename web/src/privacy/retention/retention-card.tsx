import { Button, Checkbox, NativeSelect, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { ResponseBody } from '../../api/endpoints.ts';
import { Form } from '../../components/form/form.tsx';
import { checkboxProps, inputProps } from '../../components/form/input.ts';
import { NumberInput } from '../../components/form/number-input.tsx';
import { Problem } from '../../components/form/problem.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { TableSkeleton } from '../../components/table/table-skeleton.tsx';
import { useUnsaved } from '../../drafts/unsaved.ts';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import classes from '../privacy.module.css';
import { ConfirmRetention } from './confirm-retention.tsx';

export type Retention = ResponseBody<'GET /auth/apps/:sourceAppId/retention'>;

const MAX_DAYS = 36_500;
const DEFAULT_DAYS = 730;

/** The retention of the records of an app. */
export function RetentionCard({ scope }: { scope: Scope }) {
  const { sourceAppId } = scope;
  const { data, error, refetch } = useQuery({
    queryKey: ['retention', sourceAppId],
    queryFn: ({ signal }) => call('GET /auth/apps/:sourceAppId/retention', { params: { sourceAppId }, signal }),
    refetchOnWindowFocus: false,
  });
  return (
    <section className={classes.card} aria-labelledby="retention">
      <h2 id="retention" className={classes.title}>
        {t.privacy.retention.title}
      </h2>
      {error && <LoadError error={error} onRetry={refetch} />}
      {data === undefined && !error && <TableSkeleton rows={2} />}
      {data !== undefined && <RetentionForm key={JSON.stringify(data)} scope={scope} stored={data} />}
    </section>
  );
}

function RetentionForm({ scope, stored }: { scope: Scope; stored: Retention }) {
  const client = useQueryClient();
  const { sourceAppId } = scope;
  const [isOn, setOn] = useState(stored !== null);
  const [days, setDays] = useState<number | string | undefined>(stored?.days ?? DEFAULT_DAYS);
  const [basis, setBasis] = useState(stored?.basis ?? 'updatedAt');
  const [confirming, setConfirming] = useState(false);
  const save = useMutation({
    mutationFn: (body: Retention) => call('PUT /auth/apps/:sourceAppId/retention', { params: { sourceAppId }, body }),
    onSuccess: (saved) => {
      setConfirming(false);
      client.setQueryData(['retention', sourceAppId], saved);
      notifications.show({ title: t.privacy.retention.saved, message: retentionWords(saved) });
    },
  });
  const wanted = isOn ? { days: typeof days === 'number' ? days : Number.NaN, basis } : null;
  const isValid = !wanted || (Number.isInteger(wanted.days) && wanted.days >= 1 && wanted.days <= MAX_DAYS);
  const isSame = JSON.stringify(wanted) === JSON.stringify(stored && { days: stored.days, basis: stored.basis });
  useUnsaved(() => !isSame);
  const submit = (): void => {
    if (!isValid || isSame) return;
    if (wanted) setConfirming(true);
    else save.mutate(null);
  };
  return (
    <Form onSubmit={submit}>
      <Text mb="sm">{t.privacy.retention.now(retentionWords(stored))}</Text>
      <Checkbox label={t.privacy.retention.erase} {...checkboxProps(isOn, setOn)} mb="sm" />
      <div className={classes.row}>
        <NumberInput
          label={t.privacy.retention.days}
          inputMode="numeric"
          className={classes.days ?? ''}
          disabled={!isOn}
          error={!isValid}
          value={days}
          onChange={setDays}
        />
        <NativeSelect
          label={t.privacy.retention.countedFrom}
          disabled={!isOn}
          {...inputProps(basis, (text) => setBasis(text as typeof basis))}
          data={BASES}
        />
        <Button type="submit" disabled={isSame || !isValid} loading={save.isPending && !confirming}>
          {wanted ? t.privacy.retention.check : t.common.save}
        </Button>
      </div>
      <Problem error={confirming ? null : save.error} mt="sm" />
      {confirming && wanted && (
        <ConfirmRetention
          scope={scope}
          wanted={wanted}
          sending={save}
          onConfirm={() => save.mutate(wanted)}
          onClose={() => {
            setConfirming(false);
            save.reset();
          }}
        />
      )}
    </Form>
  );
}

const BASES = (['updatedAt', 'createdAt'] as const).map((value) => ({
  value,
  label: t.privacy.retention.bases[value],
}));

/** A setting in words, for example `Users are erased 730 days after the last change.` */
export function retentionWords(retention: Retention): string {
  if (!retention) return t.privacy.retention.kept;
  return t.privacy.retention.erasedAfter[retention.basis](retention.days);
}
