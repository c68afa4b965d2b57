import type { firstForm as en } from '../en/first-form.tsx';

export const firstForm: typeof en = {
  firstTitle: 'Erstellen Sie Ihr erstes Formular',
  title: 'Neue App aus einer Vorlage',
  note: 'Wählen Sie, womit Sie beginnen. Die Felder und Texte können Sie jederzeit ändern.',
  template: 'Vorlage',
  notify: 'Jede Einsendung per E-Mail an',
  notifyNote: 'Lassen Sie das Feld leer, wenn Sie keine E-Mails möchten. Weitere Adressen können Sie später angeben.',
  createForm: 'Formular erstellen',
  incompleteTitle: 'Das Formular ist noch nicht vollständig',
  incompleteNote: (sourceAppId, problem) =>
    `Die App ${sourceAppId} wurde erstellt, aber ihre Felder wurden nicht gespeichert: ${problem}. Versuchen Sie es erneut.`,

  readyTitle: 'Ihr Formular ist bereit',
  tryTitle: 'Formular ausprobieren',
  tryNote: 'Öffnen Sie es und senden Sie es selbst ab, oder teilen Sie seine Adresse. Es braucht keine Website.',
  openForm: () => (
    <>
      Formular öffnen<span className="visually-hidden"> (in einem neuen Tab)</span>
    </>
  ),
  copyAddress: 'Adresse kopieren',

  submissionTitle: 'Erste Einsendung',
  received: (email, time) => (
    <>
      <strong>Eingegangen: {email}</strong>, {time}.
    </>
  ),
  waiting: 'Warten auf die erste Einsendung …',
  waitingNote: 'Öffnen Sie das Formular und senden Sie es ab. Die Einsendung erscheint hier.',
  values: 'Gesendete Werte',

  passwordTitle: 'Passwort der App',
  passwordNote: (sourceAppId) => (
    <>
      Mit der App-ID <strong>{sourceAppId}</strong> und diesem Passwort kann ein Team eine Anmeldung gemeinsam nutzen.
      Sie brauchen es nicht: Sie können Personen mit eigenen Konten einladen.
    </>
  ),
  copyPassword: 'Passwort kopieren',
  passwordWarning: 'Sie sehen dieses Passwort nicht wieder. Ein Administrator kann es jederzeit ersetzen.',

  nextTitle: 'Nächste Schritte',
  changeFields: 'Felder, Texte und Gestaltung ändern',
  changeSettings: 'E-Mails und Grenzen des Formulars ändern',
  invitePeople: 'Mitglieder in die App einladen',
  seeUsers: 'Ansehen, was gesendet wird',
};
