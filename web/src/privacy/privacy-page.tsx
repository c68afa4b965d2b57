import { useState } from 'react';
import { PageHeader } from '../components/page/page-header.tsx';
import { useAbilities } from '../session/abilities.tsx';
import { t } from '../texts/texts.ts';
import type { Scope } from '../users/scope.ts';
import { HistorySettingsCard } from './history/history-settings-card.tsx';
import { PersonCard } from './person/person-card.tsx';
import { PersonSearch } from './person/person-search.tsx';
import classes from './privacy.module.css';
import { RetentionCard } from './retention/retention-card.tsx';

/** Requests of persons, and retention. Without a scope: for an admin, over all apps. */
export default function PrivacyPage({ scope }: { scope?: Scope }) {
  const { manage } = useAbilities();
  const [email, setEmail] = useState<string>();
  return (
    <>
      <PageHeader
        title={t.privacy.title}
        note={
          !scope
            ? t.privacy.noteOfAllApps
            : manage
              ? t.privacy.noteWithRetention(scope.sourceAppId)
              : t.privacy.noteOfApp(scope.sourceAppId)
        }
      />
      <div className={classes.cards}>
        <section className={classes.card} aria-labelledby="person">
          <h2 id="person" className={classes.title}>
            {t.privacy.person}
          </h2>
          <PersonSearch scope={scope} onChoose={setEmail} />
          {email !== undefined && <PersonCard key={email} scope={scope} email={email} />}
        </section>
        {scope && manage && <RetentionCard scope={scope} />}
        {scope && manage && <HistorySettingsCard scope={scope} />}
      </div>
    </>
  );
}
