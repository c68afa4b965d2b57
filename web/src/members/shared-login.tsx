import { Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../components/form/confirm-dialog.tsx';
import { Problem } from '../components/form/problem.tsx';
import { LoadError } from '../components/page/load-error.tsx';
import { Section } from '../components/page/section.tsx';
import { t } from '../texts/texts.ts';
import { accessQuery, useMemberChanges } from './queries.ts';

/** Allows or refuses the log-in with the ID and the password of the app. */
export function SharedLogin({ sourceAppId }: { sourceAppId: string }) {
  const { data, error, refetch } = useQuery(accessQuery(sourceAppId));
  const { setSharedLogin } = useMemberChanges(sourceAppId);
  const [isAsking, setAsking] = useState(false);
  const close = (): void => {
    setAsking(false);
    setSharedLogin.reset();
  };
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (!data) return null;
  return (
    <Section id="shared-login" title={t.members.sharedLogIn}>
      <Switch
        label={t.members.allowShared}
        description={t.members.allowSharedNote}
        checked={data.sharedLogin}
        disabled={setSharedLogin.isPending}
        onChange={(event) => (event.currentTarget.checked ? setSharedLogin.mutate(true) : setAsking(true))}
      />
      {!isAsking && <Problem error={setSharedLogin.error} />}
      <ConfirmDialog
        opened={isAsking}
        title={t.members.refuseTitle}
        action={t.members.refuse}
        isDangerous
        sending={setSharedLogin}
        onConfirm={() => setSharedLogin.mutate(false, { onSuccess: close })}
        onClose={close}
      >
        <Text className="breaks">{t.members.refuseNote(sourceAppId)}</Text>
      </ConfirmDialog>
    </Section>
  );
}
