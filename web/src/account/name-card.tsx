import { Button, Group, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { issueAt } from '../api/call.ts';
import { Form } from '../components/form/form.tsx';
import { inputProps } from '../components/form/input.ts';
import { Problem } from '../components/form/problem.tsx';
import { Section } from '../components/page/section.tsx';
import { useUnsaved } from '../drafts/unsaved.ts';
import { t } from '../texts/texts.ts';
import { useAccountChanges } from './queries.ts';

export function NameCard({ name }: { name: string }) {
  const { rename } = useAccountChanges();
  const [text, setText] = useState(name);
  useUnsaved(() => text.trim() !== name);
  const issue = issueAt(rename.error, 'name');
  const submit = (): void =>
    rename.mutate(text.trim(), {
      onSuccess: () => notifications.show({ title: t.account.nameSaved, message: t.account.shownAs(text.trim()) }),
    });
  return (
    <Section id="account-name" title={t.common.name}>
      <Form onSubmit={submit}>
        <Group gap="sm" align="flex-end">
          <TextInput
            label={t.account.yourName}
            autoComplete="name"
            maxLength={100}
            maw={420}
            flex={1}
            {...inputProps(text, setText)}
            error={issue}
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
      </Form>
      <Problem error={issue ? null : rename.error} />
    </Section>
  );
}
