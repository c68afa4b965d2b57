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
            <strong>Just installed?</strong> The app id and password of the administrator were printed once in the
            terminal, below the address of this page, when the service first started. They may also have been set with{' '}
            <Code>ADMIN_APP_ID</Code> and <Code>ADMIN_PASSWORD</Code>.
          </Text>
          <Text size="sm" mt="xs">
            <strong>Running an app?</strong> Your administrator gave you its id and password when the app was created. A
            lost password cannot be shown again, but an administrator can make a new one.
          </Text>
        </div>
      </div>
    </main>
  );
}
