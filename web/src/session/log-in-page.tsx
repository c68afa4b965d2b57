import { Code, Paper, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Logo } from '../components/icons.tsx';
import { LogInForm } from './log-in-form.tsx';
import classes from './log-in-page.module.css';

export function LogInPage() {
  useDocumentTitle('Log in · User Collection');
  return (
    <main className={classes.page}>
      <div className={classes.column}>
        <div className={classes.brand}>
          <Logo size={40} />
          <Title order={1} size="h3">
            User Collection
          </Title>
        </div>
        <Paper withBorder p="xl" radius="lg" shadow="sm">
          <LogInForm />
        </Paper>
        <div className={classes.hint}>
          <Text size="sm">
            <strong>Administrator?</strong> At its first start, the service printed your app ID and password in the
            terminal, below the URL of this page. They can also be set with <Code>ADMIN_APP_ID</Code> and{' '}
            <Code>ADMIN_PASSWORD</Code>.
          </Text>
          <Text size="sm" mt="xs">
            <strong>Operator?</strong> Ask your administrator for the app ID and password. A lost password can't be
            recovered, but an administrator can create a new one.
          </Text>
        </div>
      </div>
    </main>
  );
}
