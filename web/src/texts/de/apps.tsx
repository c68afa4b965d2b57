import type { apps as en } from '../en/apps.tsx';
import { plural } from '../format.ts';

export const apps: typeof en = {
  title: 'Apps',
  note: 'Jede App hat ihre eigenen Personen und ihr eigenes Schema',
  newFromTemplate: 'Neue App aus einer Vorlage',
  createApp: 'App erstellen',
  list: 'Liste der Apps',
  search: 'Apps suchen',
  noMatch: 'Keine passenden Apps',
  noMatchNote: 'Die Suche findet jeden Teil der App-ID.',
  showAll: 'Alle Apps anzeigen',
  showMore: 'Weitere Apps anzeigen',
  firstTitle: 'Erstellen Sie Ihre erste App',
  firstNote:
    'Formulare, Websites und Geräte senden die Angaben von Personen an eine App. Eine Vorlage hat die Felder eines ' +
    'üblichen Formulars und gibt Ihnen eine Seite, um es zu senden. Oder erstellen Sie eine leere App und legen Sie ' +
    'ihre Felder selbst fest.',
  startFromTemplate: 'Mit einer Vorlage beginnen',

  table: 'Tabelle der Apps',
  app: 'App',
  adminLogIn: (sourceAppId) => `Administratoren melden sich als ${sourceAppId} an.`,
  users: 'Personen',
  lastSubmission: 'Letzte Einsendung',

  pages: {
    inbox: 'Posteingang',
    users: 'Personen',
    form: 'Formular',
    fields: 'Felder',
    texts: 'Texte',
    design: 'Gestaltung',
    versions: 'Versionen',
    share: 'Teilen',
    connect: 'Link und Code',
    importForm: 'Formular importieren',
    automation: 'Automatisierung',
    webhooks: 'Webhooks',
    emails: 'E-Mails',
    privacy: 'Datenschutz',
    keys: 'API-Schlüssel',
    audit: 'Protokoll',
    team: 'Team',
    members: 'Mitglieder',
    settings: 'Einstellungen',
    held: 'Zurückgehalten',
  },
  viewUsers: 'Personen ansehen',
  connectForm: 'Formular teilen',
  privacyAndRetention: 'Datenschutz und Aufbewahrung',
  heldSubmissions: 'Zurückgehaltene Einsendungen',

  created: (sourceAppId) => `${sourceAppId} wurde erstellt`,
  defineFields: 'Felder festlegen',
  create: 'Erstellen',
  appId: 'App-ID',
  appIdNote:
    'Verwenden Sie 1 bis 80 Buchstaben, Ziffern, Punkte, Unterstriche und Bindestriche. Formulare senden die ID mit ' +
    'jeder Einsendung. Sie können sie später nicht ändern.',
  appIdTaken: 'Eine App mit dieser ID gibt es schon. Wählen Sie eine andere ID.',
  tryAgain: (problem) => `${problem}. Versuchen Sie es erneut.`,

  passwordNote: (sourceAppId) => <>Betreiber von {sourceAppId} melden sich mit diesem Passwort an.</>,
  passwordWarning:
    'Der Dienst speichert nur einen Hash des Passworts. Speichern Sie es jetzt in einem Passwortmanager. Ein ' +
    'verlorenes Passwort lässt sich nicht wiederherstellen, nur ersetzen.',

  rotatePassword: 'Passwort erneuern',
  newPassword: 'Neues Passwort',
  rotateNote: (sourceAppId) => (
    <>
      Das aktuelle Passwort von {sourceAppId} gilt sofort nicht mehr. Alle Sitzungen der App enden. Formulare sind nicht
      betroffen: Sie verwenden das Passwort nicht.
    </>
  ),
  rotateOwnNote: (sourceAppId) => (
    <>
      Das aktuelle Passwort von {sourceAppId} gilt sofort nicht mehr. Alle Sitzungen der App enden, auch diese.
      Formulare sind nicht betroffen: Sie verwenden das Passwort nicht.
    </>
  ),
  currentPassword: 'Aktuelles Passwort',
  currentPasswordProblem: (problem) => `Aktuelles Passwort: ${problem}.`,

  deleteApp: 'App löschen',
  deleteAppAndUsers: (users) => plural(users, { one: 'App und # Person löschen', other: 'App und # Personen löschen' }),
  deleteNote: () => (
    <>
      Gelöscht werden die App, alle Versionen ihres Schemas und <strong>alle ihre Personen</strong>. Der Dienst lehnt
      spätere Einsendungen an diese App ab.
    </>
  ),
  deleteCountedNote: (users) => (
    <>
      Gelöscht werden die App, alle Versionen ihres Schemas und{' '}
      <strong>{plural(users, { one: 'ihre # Person', other: 'ihre # Personen' })}</strong>. Der Dienst lehnt spätere
      Einsendungen an diese App ab.
    </>
  ),
  deleted: (sourceAppId) => `Die App ${sourceAppId} wurde gelöscht`,
  usersDeleted: (users) => plural(users, { one: '# Person wurde gelöscht', other: '# Personen wurden gelöscht' }),

  allUsers: 'Alle Personen',
  allUsersNote: 'Personen aller Apps, neueste zuerst',
  listOfUsers: 'Liste der Personen',
  searchUsers: 'Daten aller Apps durchsuchen',
  noUsers: 'Noch keine Personen',
  noUsersNote: 'Personen erscheinen hier, sobald sie ein Formular absenden.',
  noUsersOnPage: 'Keine Personen auf dieser Seite',
  noUsersOnPageNote: 'Die Liste hat weniger Seiten.',
  goToFirstPage: 'Zur ersten Seite',
  noUsersSoFar: 'Bisher keine Personen gefunden',
  noUsersMatch: 'Keine passenden Personen',
  noUsersMatchNote: 'Die Suche findet die Anfänge von Wörtern.',
  searchOn: 'Weitersuchen',
  tableOfUsers: 'Tabelle der Personen',
  schemaVersion: 'Schemaversion',
};
