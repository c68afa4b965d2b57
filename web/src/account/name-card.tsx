import { Button, Group, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { issueAt } from '../api/call.ts';
import { Problem } from '../components/problem.tsx';
import { t } from '../texts/texts.ts';
import { useAccountChanges } from './queries.ts';
import { Section } from './section.tsx';

export function NameCard({ name }: { name: string }) {
  const { rename } = useAccountChanges();
  const [text, setText] = useState(name);
  const issue = issueAt(rename.error, 'name');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rename.mutate(text.trim(), {
      onSuccess: () => notifications.show({ title: t.account.nameSaved, message: t.account.shownAs(text.trim()) }),
    });
  };
  return (
    <Section id="account-name" title={t.common.name}>
      <form onSubmit={submit}>
        <Group gap="sm" align="flex-end">
          <TextInput
            label={t.account.yourName}
            autoComplete="name"
            maxLength={100}
            maw={420}
            flex={1}
            value={text}
            error={issue}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant="default"
            loading={rename.isPending}
            disabled={text.trim() === '' || text.trim() === name}
          >
            {t.account.saveName}
          </Button>
        </Group>
      </form>
      <Problem error={issue ? null : rename.error} />
    </Section>
  );
}
