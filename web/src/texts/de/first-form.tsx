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
  changeFields: 'Felder ändern',
  changeSettings: 'Texte, E-Mails und Grenzen des Formulars ändern',
  invitePeople: 'Mitglieder in die App einladen',
  seeUsers: 'Alle Personen ansehen',

  fullName: 'Name',
  templates: {
    newsletter: {
      name: 'Newsletter',
      purpose: 'Name und eine Einwilligung, deren Verlauf aufbewahrt wird.',
      consent: 'Ich möchte den Newsletter per E-Mail erhalten',
      consentHelp: 'Sie können sich jederzeit abmelden.',
      title: 'Newsletter',
      submit: 'Abonnieren',
      thanks: 'Vielen Dank. Sie stehen auf der Liste.',
    },
    contact: {
      name: 'Kontakt',
      purpose: 'Name, Nachricht und ein Status, den nur Ihr Team setzt. Der Posteingang behält jede Nachricht 90 Tage.',
      message: 'Nachricht',
      status: 'Status',
      new: 'Neu',
      inProgress: 'In Arbeit',
      done: 'Erledigt',
      title: 'Schreiben Sie uns',
      submit: 'Nachricht senden',
      thanks: 'Vielen Dank. Wir antworten Ihnen per E-Mail.',
    },
    waitingList: {
      name: 'Warteliste',
      purpose: 'Name, was die Personen damit vorhaben, und die Kampagne, die sie hierher geführt hat.',
      useCase: 'Wofür möchten Sie es verwenden?',
      campaign: 'Kampagne',
      title: 'In die Warteliste eintragen',
      submit: 'Eintragen',
      thanks: 'Vielen Dank. Sie stehen auf der Warteliste.',
    },
    event: {
      name: 'Veranstaltung',
      purpose: 'Name, Art der Teilnahme, gewählte Programmpunkte, Zahl der Begleitpersonen und Anmerkungen.',
      attendance: 'Wie nehmen Sie teil?',
      onSite: 'Vor Ort',
      online: 'Online',
      sessions: 'Welche Programmpunkte interessieren Sie?',
      talks: 'Vorträge',
      workshops: 'Workshops',
      dinner: 'Abendessen',
      guests: 'Zahl Ihrer Begleitpersonen',
      notes: 'Anmerkungen',
      notesHelp: 'Zum Beispiel, was Sie nicht essen können',
      title: 'Anmeldung',
      submit: 'Anmelden',
      thanks: 'Vielen Dank. Sie sind angemeldet.',
    },
    feedback: {
      name: 'Feedback',
      purpose: 'Eine Bewertung und ein Kommentar. Der Posteingang behält jede Antwort 90 Tage.',
      rating: 'Wie gefällt es Ihnen?',
      veryGood: 'Sehr gut',
      good: 'Gut',
      fair: 'Mittelmäßig',
      poor: 'Schlecht',
      veryPoor: 'Sehr schlecht',
      comment: 'Was sollten wir verbessern?',
      title: 'Ihr Feedback',
      submit: 'Feedback senden',
      thanks: 'Vielen Dank für Ihr Feedback.',
    },
    empty: {
      name: 'Leer',
      purpose: 'Nur die E-Mail. Die Felder legen Sie selbst fest.',
    },
  },
};
