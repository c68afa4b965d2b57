import { useState } from 'react';
import { PageHeader } from '../components/page-header.tsx';
import { useAbilities } from '../session/abilities.tsx';
import type { Scope } from '../users/scope.ts';
import { HistorySettingsCard } from './history/history-settings-card.tsx';
import { PersonCard } from './person/person-card.tsx';
import { PersonSearch } from './person/person-search.tsx';
import classes from './privacy.module.css';
import { RetentionCard } from './retention/retention-card.tsx';

/** Requests of persons, and retention. Without a scope: for an admin, over all apps. */
export function PrivacyPage({ scope }: { scope?: Scope }) {
  const { manage } = useAbilities();
  const [email, setEmail] = useState<string>();
  return (
    <>
      <PageHeader
        title="Privacy"
        note={
          scope
            ? `Requests of persons${manage ? ', and retention,' : ''} in ${scope.sourceAppId}`
            : 'Requests of persons, in all apps'
        }
      />
      <div className={classes.cards}>
        <section className={classes.card} aria-labelledby="person">
          <h2 id="person" className={classes.title}>
            A person’s data
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
