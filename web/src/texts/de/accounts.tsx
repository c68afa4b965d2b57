import type { accounts as en } from '../en/accounts.tsx';

export const accounts: typeof en = {
  title: 'Konten',
  note: 'Alle, die sich mit ihrer E-Mail anmelden, in allen Apps',
  invite: 'Einladen',
  list: 'Liste der Konten',
  search: 'Konten nach E-Mail durchsuchen',
  none: 'Noch keine Konten',
  noneNote:
    'Laden Sie hier Administratoren ein. Verwalter laden die Mitglieder ihrer App auf deren Seite „Mitglieder“ ein.',
  noMatch: 'Keine passenden Konten',
  noMatchNote: 'Die Suche findet jeden Teil der E-Mail.',
  more: 'Mehr Konten anzeigen',
  inviteTitle: 'Zum Dienst einladen',
  asAdministrator: 'Als Administrator',
  asAdministratorNote:
    'Ein Administrator darf in allen Apps alles. Andere sehen nur die Apps, zu denen sie eingeladen sind.',

  table: 'Tabelle der Konten',
  account: 'Konto',
  secondFactor: 'Zweiter Faktor',
  sessions: 'Sitzungen',
  administrator: 'Administrator',
  suspended: 'Gesperrt',
  on: 'Ein',
  off: 'Aus',

  actions: {
    makeAdmin: {
      name: 'Zum Administrator machen',
      title: 'Zum Administrator machen?',
      note: (email) => (
        <>
          <strong>{email}</strong> darf dann in allen Apps alles.
        </>
      ),
    },
    removeAdmin: {
      name: 'Als Administrator entfernen',
      title: 'Als Administrator entfernen?',
      note: (email) => (
        <>
          <strong>{email}</strong> behält dann nur die Rollen in einzelnen Apps.
        </>
      ),
    },
    suspend: {
      name: 'Sperren',
      title: 'Konto sperren?',
      note: (email) => (
        <>
          <strong>{email}</strong> kann sich nicht anmelden, solange das Konto gesperrt ist. Alle Sitzungen enden jetzt.
        </>
      ),
    },
    restore: {
      name: 'Sperre aufheben',
      title: 'Sperre aufheben?',
      note: (email) => (
        <>
          <strong>{email}</strong> kann sich dann wieder anmelden.
        </>
      ),
    },
    endSessions: {
      name: 'Alle Sitzungen beenden',
      title: 'Alle Sitzungen beenden?',
      note: (email) => (
        <>
          <strong>{email}</strong> muss sich auf jedem Gerät erneut anmelden.
        </>
      ),
    },
    erase: {
      name: 'Konto endgültig löschen',
      title: 'Dieses Konto endgültig löschen?',
      note: (email) => (
        <>
          <strong>{email}</strong> kann sich nicht mehr anmelden und verliert alle Rollen. Das Protokoll behält nur die
          ID des Kontos.
        </>
      ),
    },
  },
};
