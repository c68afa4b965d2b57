import { Alert } from '@mantine/core';
import type { ResponseBody } from '../api/endpoints.ts';
import { Problem } from '../components/form/problem.tsx';
import { t } from '../texts/texts.ts';
import { milliseconds } from './names.ts';
import { TextBlock } from './text-block.tsx';

interface TestResultProps {
  test: { data: ResponseBody<'POST /auth/webhooks/:id/test'> | undefined; error: Error | null };
}

export function TestResult({ test: { data, error } }: TestResultProps) {
  if (error) return <Problem error={error} p="xs" />;
  if (!data) return null;
  const { ok, status, ms, error: problem, response } = data;
  return (
    <Alert color={ok ? 'green' : 'red'} p="xs" title={ok ? t.webhooks.accepted : t.webhooks.notAccepted}>
      {status === undefined ? t.webhooks.noStatus(problem ?? '') : t.webhooks.status(status)} · {milliseconds(ms)}
      {response !== undefined && <TextBlock text={response} />}
    </Alert>
  );
}
