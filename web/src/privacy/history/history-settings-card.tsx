import { Button, Checkbox, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { ResponseBody } from '../../api/endpoints.ts';
import { Form } from '../../components/form/form.tsx';
import { checkboxProps } from '../../components/form/input.ts';
import { NumberInput } from '../../components/form/number-input.tsx';
import { Problem } from '../../components/form/problem.tsx';
import { LoadError } from '../../components/page/load-error.tsx';
import { TableSkeleton } from '../../components/table/table-skeleton.tsx';
import { useUnsaved } from '../../drafts/unsaved.ts';
import { historySettingsKey, historySettingsQuery } from '../../inbox/queries.ts';
import { t } from '../../texts/texts.ts';
import type { Scope } from '../../users/scope.ts';
import classes from '../privacy.module.css';

type Settings = ResponseBody<'GET /auth/apps/:sourceAppId/history'>;

const MAX_DAYS = 3_650;

/** What the history of records keeps, and for how long. */
export function HistorySettingsCard({ scope: { sourceAppId } }: { scope: Scope }) {
  const { data, error, refetch } = useQuery(historySettingsQuery(sourceAppId));
  return (
    <section className={classes.card} aria-labelledby="history-settings">
      <h2 id="history-settings" className={classes.title}>
        {t.privacy.history.title}
      </h2>
      {error && <LoadError error={error} onRetry={refetch} />}
      {!data && !error && <TableSkeleton rows={2} />}
      {data && <SettingsForm key={JSON.stringify(data)} sourceAppId={sourceAppId} stored={data} />}
    </section>
  );
}

function SettingsForm({ sourceAppId, stored }: { sourceAppId: string; stored: Settings }) {
  const client = useQueryClient();
  const [submissions, setSubmissions] = useState(stored.submissions);
  const [days, setDays] = useState<number | string | undefined>(stored.days);
  const wanted = { submissions, days: typeof days === 'number' ? days : Number.NaN };
  const isValid = Number.isInteger(wanted.days) && wanted.days >= 1 && wanted.days <= MAX_DAYS;
  const isSame = submissions === stored.submissions && wanted.days === stored.days;
  useUnsaved(() => !isSame);
  const save = useMutation({
    mutationFn: () => call('PUT /auth/apps/:sourceAppId/history', { params: { sourceAppId }, body: wanted }),
    onSuccess: (saved) => {
      client.setQueryData(historySettingsKey(sourceAppId), saved);
      notifications.show({ title: t.privacy.history.saved, message: t.privacy.history.savedNote });
    },
  });
  return (
    <Form onSubmit={() => isValid && !isSame && save.mutate()}>
      <Text mb="sm">{t.privacy.history.note}</Text>
      <Checkbox label={t.privacy.history.submissions} {...checkboxProps(submissions, setSubmissions)} mb="sm" />
      <div className={classes.row}>
        <NumberInput
          label={t.privacy.history.days}
          description={t.privacy.history.inDays}
          inputMode="numeric"
          error={!isValid}
          value={days}
          onChange={setDays}
        />
        <Button type="submit" disabled={isSame || !isValid} loading={save.isPending}>
          {t.privacy.history.save}
        </Button>
      </div>
      <Problem error={save.error} mt="sm" />
    </Form>
  );
}
