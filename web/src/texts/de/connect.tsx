import type { connect as en } from '../en/connect.tsx';
import { formatNumber, plural } from '../format.ts';
import { SettingLink } from '../setting-link.tsx';
import { common } from './common.tsx';

export const connect: typeof en = {
  title: 'Formular teilen',
  note: (sourceAppId, version) => `${sourceAppId} · Schemaversion ${version}`,
  goToStart: 'Zur Startseite',
  design: 'Gestaltung',

  overview: {
    notes: 'Hinweise',
    updates: () => (
      <>
        <strong>Änderungen:</strong> Eine spätere Einsendung mit derselben E-Mail-Adresse ändert den Datensatz.
        Gesendete Werte ersetzen die gespeicherten, Einträge von Listen werden angehängt, und andere Felder behalten
        ihre Werte.
      </>
    ),
    checkboxes: () => (
      <>
        <strong>Kontrollkästchen:</strong> Browser senden nichts für ein Kontrollkästchen, das nicht angekreuzt ist. Der
        Code enthält deshalb vor jedem ein verstecktes <code>false</code>, damit eine Person ihre Einwilligung
        widerrufen kann.
      </>
    ),
  },

  status: {
    title: 'Was derzeit funktioniert',
    meanings: {
      yes: 'Funktioniert:',
      no: 'Funktioniert nicht:',
      info: 'Hinweis:',
    },
    formPage: (link) => <>Das Formular als Seite: {link}.</>,
    moreSettings: (settings) => <>Texte, Schließzeit und Schutz vor Bots finden Sie unter {settings}.</>,
    settings: 'Einstellungen',
    whatIsHeld: (held) => <>Einsendungen, die der Schutz vor Bots zurückhält: {held}.</>,
    held: 'Zurückgehaltene Einsendungen',

    closed: (since) => `Das Formular ist seit dem ${since} geschlossen`,
    closedNote: 'Jede Einsendung wird abgelehnt.',
    closes: (at) => `Das Formular schließt am ${at}`,
    full: (records, maximum) =>
      `Das Formular ist voll: ${formatNumber(records)} von höchstens ${formatNumber(maximum)} Datensätzen sind gespeichert`,
    fullNote: 'Einsendungen neuer Personen werden abgelehnt.',
    room: (records, maximum) =>
      `${formatNumber(records)} von höchstens ${formatNumber(maximum)} Datensätzen sind gespeichert`,
    open: 'Das Formular ist offen',
    openNote: 'Seine eigene Seite und Programme dürfen senden.',
    files: 'Aus einer Datei geöffnete Seiten dürfen senden',
    noFiles: 'Aus einer Datei geöffnete Seiten dürfen nicht senden',
    noFilesNote:
      'Um ein auf Ihrem Computer gespeichertes Formular zu testen, erlauben Sie Dateien unter „Erlaubte Websites“.',
    everySite: 'Seiten auf jeder Website dürfen senden',
    noSite: 'Seiten auf Ihrer Website dürfen noch nicht senden',
    noSiteNote: 'Fügen Sie ihre Adresse unter „Erlaubte Websites“ hinzu.',
    sites: (sites) => `Seiten auf ${sites} dürfen senden`,
    off: 'Der Schutz vor Bots ist ausgeschaltet',
    honeypot: 'Ein verstecktes Feld erkennt einfache Bots',
    honeypotNote: 'Ihre Einsendungen werden zurückgehalten, bis jemand sie freigibt oder löscht.',
    proofOfWork: 'Der Schutz vor Bots benötigt JavaScript',
    proofOfWorkNote:
      'Ohne JavaScript gesendete Formulare werden zurückgehalten, bis Sie sie freigeben. Die Absender erfahren das. ' +
      'Programme, die keine gelöste Rechenaufgabe senden, werden abgelehnt.',
    checkedBy: (name) => `${name} prüft jede Einsendung`,
    needs: (fields) => `In jeder Einsendung erforderlich: ${fields}`,
    more: (count) => `${formatNumber(count)} weitere`,
  },

  origins: {
    title: 'Erlaubte Websites',
    note: 'Browser teilen dem Dienst mit, auf welcher Website sich ein Formular befindet. Formulare auf anderen Websites werden abgelehnt. Änderungen wirken sofort.',
    every: 'Jede Website erlauben',
    everyNote: 'Alle können dieses Formular auf ihre eigene Seite setzen. Dies ersetzt die Liste.',
    files: 'Dateien auf Ihrem Computer erlauben',
    filesNote:
      'Um ein Formular zu testen, das Sie als Datei gespeichert haben. Seine Herkunft ist „null“. Schalten Sie dies ' +
      'danach wieder aus. Auch eine Website mit Referrer-Policy: no-referrer oder same-origin hat diese Herkunft: Setzen ' +
      'Sie dort stattdessen strict-origin.',
    notSaved: 'Die Änderung wurde nicht gespeichert',
    notAnAddress: 'Geben Sie die Adresse einer Website ein, zum Beispiel https://www.example.com',
    removeOf: (origin) => `${origin} entfernen`,
    sibling: (origin) => `Für Browser ist ${origin} eine andere Website.`,
    allowSibling: 'Ebenfalls erlauben',
    address: 'Adresse Ihrer Website',
    allow: 'Erlauben',

    refused: 'Abgelehnte Websites',
    lastRefused: (origin, count, at) => (
      <>
        Zuletzt abgelehnt: <strong>{origin}</strong> ({plural(count, { one: 'einmal', other: '#-mal' })}, {at})
      </>
    ),
    file: 'eine Datei auf einem Computer oder eine Website mit Referrer-Policy: no-referrer oder same-origin',
    allowOf: (origin) => `${origin} erlauben`,
    allowFiles: 'Dateien erlauben',

    ignored: 'Ignorierte Adressen',
    ignoredNote: () => (
      <>
        Formulare sollten Personen nach einer Einsendung zu diesen Adressen leiten (<code>_next</code>). Die
        Einsendungen sind gespeichert, und die Personen sahen die Dankesseite. Erlauben Sie nur Adressen Ihrer eigenen
        Websites.
      </>
    ),
    lastIgnored: (origin, count, at) => (
      <>
        Zuletzt ignoriert: <strong>{origin}</strong> ({plural(count, { one: 'einmal', other: '#-mal' })}, {at})
      </>
    ),
    addressOnly: 'eine Adresse ohne Website',
    allowAddress: (origin) => `Die Adresse ${origin} erlauben`,
    wholeAddress: 'Geben Sie die vollständige Adresse an, zum Beispiel https://www.example.com/thanks',
    httpsOnly: 'Personen werden nur zu https-Adressen geleitet',
    listInstead: 'Führen Sie Ihre Websites auf, statt jede zu erlauben',
  },

  liveTest: {
    title: 'Ausprobieren',
    send: 'Testeinsendung senden',
    possible: (email) => `Speichert Beispielwerte als ${email}.`,
    impossible: {
      challenge: 'Ein Test braucht eine gelöste Aufgabe.',
      file: 'Ein Test braucht eine Datei.',
      https:
        'Solange das Formular eine Rechenaufgabe verlangt, braucht ein Test https. Öffnen Sie dafür diese Seite über ' +
        'https.',
    },
    sendOwn: (link) => <>Um eigene Werte zu senden, {link}.</>,
    openFormPage: 'öffnen Sie die Formularseite',
    notSent: 'Der Test konnte nicht gesendet werden',
    notSentNote: 'Der Dienst hat nicht geantwortet. Versuchen Sie es erneut.',
    stored: 'Die Testeinsendung ist gespeichert.',
    refused: 'Die Testeinsendung wurde abgelehnt',
    doNotFit: 'Die Beispielwerte passen nicht zu jedem Feld. Senden Sie eigene Werte auf der Formularseite.',
    status: (status) => `Der Dienst hat mit dem Status ${status} geantwortet`,

    received: (email, at) => (
      <>
        <strong>Empfangen: {email}</strong>, {at}.
      </>
    ),
    receivedUnknown: (at) => (
      <>
        <strong>Empfangen: eine Einsendung</strong>, {at}.
      </>
    ),
    waiting: 'Warten auf eine Einsendung von Ihrer Website…',
    waitingNote: 'Senden Sie Ihr Formular, und es erscheint hier.',
    held: (email, at) => (
      <>
        Der Schutz vor Bots hält eine Einsendung von {email} zurück, {at}.
      </>
    ),
    showHeld: 'Zurückgehaltene Einsendungen anzeigen',
  },

  settings: {
    title: 'Einstellungen',
    form: 'Formulareinstellungen',
    saved: 'Gespeichert. Die Einstellungen gelten jetzt.',
    noChanges: 'Keine Änderungen',
    discarded: 'Änderungen verworfen',
    invalid: (count) => plural(count, { one: '# ungültige Einstellung', other: '# ungültige Einstellungen' }),
    discard: 'Verwerfen',
    save: 'Einstellungen speichern',
    restored: 'Ihre nicht gespeicherten Änderungen wurden wiederhergestellt.',
    secretNotKept: 'Geben Sie den geheimen Schlüssel erneut ein: Er wird nicht aufbewahrt.',
    notSaved: (error) => `Die Einstellungen wurden nicht gespeichert: ${error}.`,
    conflict: 'Jemand anderes hat diese Einstellungen gespeichert, während Sie sie bearbeitet haben',
    theyChanged: (names) => `Dort geändert: ${names}.`,
    youChangedToo: (names) => `Auch von Ihnen geändert: ${names}.`,
    overwrite: 'Fremde Änderungen mit meinen überschreiben',
    keepBoth: 'Meine und die fremden Änderungen behalten',
    discardMine: 'Meine Änderungen verwerfen und die fremden laden',

    names: {
      name: 'Name',
      title: 'Titel',
      description: 'Beschreibung',
      submitLabel: 'Schaltfläche',
      thanks: 'Dankestext',
      next: 'Seite nach dem Formular',
      locale: 'Sprache',
      languages: 'Sprachen der Besucher',
      pages: 'Texte der Seiten',
      texts: 'Texte in anderen Sprachen',
      drafts: 'Noch nicht gesendete Angaben',
      timeZone: 'Zeitzone',
      captchaSiteKey: 'Websiteschlüssel',
      captchaSecret: 'Geheimer Schlüssel',
      preset: 'Aussehen',
      accent: 'Akzentfarbe',
      scheme: 'Hell oder dunkel',
      font: 'Schrift',
      corners: 'Ecken',
      logo: 'Logo',
      logoDark: 'Logo für dunkle Hintergründe',
      logoAlt: 'Was das Logo sagt',
      cover: 'Titelbild',
      captchaOutage: 'Solange der Anbieter nicht erreichbar ist',
      botProtection: 'Schutz vor Bots',
      submitPerMinute: 'Einsendungen pro Minute',
      closesAt: 'Schließt am',
      maxRecords: 'Höchstzahl der Datensätze',
      existing: 'Wer darf einen Datensatz ändern?',
      receipt: 'Antwort auf eine Einsendung',
      doubleOptIn: 'Personen bitten, ihre E-Mail-Adresse zu bestätigen',
      notifyEmails: 'Per E-Mail benachrichtigen',
      notifyWhen: 'Benachrichtigung senden',
      notifyRoutes: 'Andere über manche Einträge benachrichtigen',
      replyWhen: 'Der Person per E-Mail antworten',
      replySubject: 'Betreff der Antwort',
      replyText: 'Text der Antwort',
      replyTexts: 'Antwort',
      own: 'Personen dürfen ihren Eintrag sehen',
    },

    texts: 'Texte',
    nameNote: 'Was Personen anstelle der App-ID lesen',
    titleNote: 'Die Überschrift des Formulars',
    descriptionNote: 'Steht über den Feldern. **fett**, *kursiv*, [Link](https://…)',
    thanksNote: 'Erscheint nach einer Einsendung. **fett**, *kursiv*, [Link](https://…)',
    nextNote: 'Ihre eigene Seite, die Personen statt des Dankestextes sehen',
    localeNote: 'Die Sprache Ihrer Texte, zum Beispiel en, de oder pt-BR',
    accentNote: 'Für Schaltflächen und Links. Wo sie schlecht zu sehen ist, erscheint sie dunkler oder heller',
    pickColor: 'Akzentfarbe wählen',
    presetNote: 'Was Sie darunter wählen, ersetzt Teile davon',
    draftsKept: 'Behalten, was Besucher eingeben, bis sie es senden',
    draftsNote: 'In ihrem Browser, bis sein Tab geschlossen wird. Nie Einwilligungen',
    themes: {
      unset: 'Standard',
      preset: {
        plain: 'Schlicht',
        paper: 'Papier',
        midnight: 'Mitternacht',
        meadow: 'Wiese',
        blossom: 'Blüte',
        ocean: 'Meer',
        terminal: 'Terminal',
        poster: 'Plakat',
      },
      scheme: { light: 'Immer hell', dark: 'Immer dunkel', auto: 'Wie beim Besucher' },
      font: { system: 'Schrift des Geräts', serif: 'Mit Serifen', rounded: 'Rund', mono: 'Feste Breite' },
      corners: { square: 'Eckig', round: 'Rund' },
    },
    imageNote: (max) => `PNG, JPEG oder WebP, höchstens ${max} kB`,
    logoAltNote: 'Wird Menschen vorgelesen, die das Logo nicht sehen, etwa Ihr Name',
    images: {
      logo: { choose: 'Logo wählen', replace: 'Anderes Logo wählen', remove: 'Logo entfernen' },
      logoDark: {
        choose: 'Logo für dunkle Hintergründe wählen',
        replace: 'Anderes Logo für dunkle Hintergründe wählen',
        remove: 'Logo für dunkle Hintergründe entfernen',
      },
      cover: { choose: 'Titelbild wählen', replace: 'Anderes Titelbild wählen', remove: 'Titelbild entfernen' },
    },
    notImage: 'Diese Datei ist kein Bild (PNG, JPEG oder WebP)',
    imageTooLarge: (size, max) =>
      `Diese Datei hat ${formatNumber(size)} kB. Möglich sind höchstens ${formatNumber(max)} kB`,
    shownDevice: 'Gerät in der Vorschau',
    viewLanguage: 'Sprache in der Vorschau',
    devices: { desktop: 'Computer', phone: 'Telefon' },
    visitorScheme: 'Farben in der Vorschau',
    visitorSchemes: { auto: 'Wie hier', light: 'Hell', dark: 'Dunkel' },
    rules: 'Regeln',
    protections: {
      honeypot: 'Verstecktes Feld: erkennt einfache Bots (empfohlen)',
      'proof-of-work': 'Rechenaufgabe: stärker, benötigt JavaScript',
      off: 'Aus',
    },
    protectionNotes: {
      honeypot:
        'Einsendungen, die ein für Menschen unsichtbares Feld ausfüllen, werden zurückgehalten, damit Sie sie prüfen.',
      'proof-of-work':
        'Der Browser jeder Person rechnet bis zu einer Sekunde lang. Ohne JavaScript gesendete Formulare werden ' +
        'zurückgehalten, Programme abgelehnt.',
      off: 'Jede Einsendung, die zum Schema passt, wird gespeichert.',
    },
    providerNote: 'Besucher lösen eine Aufgabe dieses Anbieters, der dabei ihre IP-Adresse sieht.',
    secretStored: 'Gespeichert. Ein neuer Schlüssel ersetzt ihn',
    outages: {
      hold: 'Einsendungen zur Prüfung zurückhalten',
      refuse: 'Einsendungen ablehnen',
    },
    closesAtNote: (zone) => `Ab dieser Zeit lehnt das Formular jede Einsendung ab. In Ihrer Zeitzone, ${zone}`,
    maxRecordsNote: 'Bei dieser Zahl von Datensätzen lehnt das Formular neue Personen ab',
    existing: {
      update: 'Alle, die seine E-Mail-Adresse eingeben',
      updateNote: 'Einträge mit einer bekannten E-Mail-Adresse ändern den Datensatz.',
      keep: 'Nur das Team',
      keepNote:
        'Einträge mit einer bekannten E-Mail-Adresse ändern nichts. Sie stehen im Posteingang, falls die App einen hat.',
      confirm: 'Die Person selbst, per E-Mail',
      confirmNote: 'Einträge mit einer bekannten E-Mail-Adresse warten eine Woche, bis die Person sie bestätigt.',
    },
    receipts: {
      unset: 'Standard',
      true: 'Mit ID und Zeiten des Datensatzes',
      false: 'Nur, dass sie angenommen ist',
      shownNote: 'Antworten dieser App verraten, ob sie die E-Mail-Adresse kennt.',
      hiddenNote: 'Antworten dieser App verraten nicht, ob sie die E-Mail-Adresse kennt.',
    },
    own: {
      title: 'Was Personen mit ihrem Eintrag tun dürfen',
      note: 'Sie fragen auf einer Seite des Formulars danach. Ein Link kommt an ihre E-Mail-Adresse und gilt 24 Stunden.',
      changes: 'Felder, die Personen ändern dürfen',
      allFields: 'Alle Felder des Formulars',
      allFieldsNote: 'Auch Felder, die Sie später hinzufügen; keine Listen und kein Feld Ihres Teams',
      download: 'Personen dürfen herunterladen, was über sie gespeichert ist',
      erase: 'Personen dürfen alles löschen, was über sie gespeichert ist',
      eraseNote: 'Eine Löschung ist endgültig und braucht niemanden aus Ihrem Team.',
      preview: 'Die Seite, wie Personen sie sehen',
    },
    noLimit: 'Keine Grenze',
    submitPerMinuteNote: 'Von einer Adresse im Internet. Leer: die Grenze des Dienstes',
    serviceLimit: 'Grenze des Dienstes',
    timeZoneNote: 'Für Zeiten, die ein Formular ohne Zeitzone sendet, zum Beispiel Europe/Berlin',

    languagesNote:
      'Besucher sehen das Formular in der Sprache, die sie wählen oder die ihr Browser bevorzugt, wenn sie in dieser ' +
      'Liste steht. Sonst sehen sie die Sprache darüber',
    shownLanguage: 'Sprache der Texte',
    original: 'Originaltexte',
    chooseLanguage: 'Wählen Sie eine Sprache, um die Texte zu übersetzen und deren Vorschau zu sehen.',
    serviceText: 'Text des Dienstes',
    textIn: (name, language) => `${name} (${language})`,

    email: 'E-Mail',
    noMail: (
      <>
        Dieser Dienst sendet keine E-Mails: Seine Einstellung <SettingLink name="SMTP_URL" /> ist nicht gesetzt.
      </>
    ),
    noLinks: (
      <>
        Dieser Dienst kennt seine Adresse für Links nicht: Seine Einstellung <SettingLink name="PUBLIC_URL" /> ist nicht
        gesetzt.
      </>
    ),
    doubleOptInNote:
      'Jede neue Person erhält eine E-Mail mit einem Link. Jeder Datensatz wird gespeichert und zeigt, ob die Adresse ' +
      'bestätigt ist.',
    notifyEmailsNote:
      'Diese Adressen erhalten eine E-Mail über neue und geänderte Einträge. Eine Adresse pro Zeile, höchstens 10',
    times: {
      each: 'Bei jedem neuen oder geänderten Eintrag, mit seinen Werten',
      daily: 'Einmal am Tag, nur mit Zahlen',
    },
    routesNote:
      'Diese Adressen erhalten die E-Mail zu einem Eintrag neben den Adressen oben, wenn beim Senden die Bedingungen gelten',
    routesEach: 'Regeln brauchen eine Benachrichtigung für jeden Eintrag',
    routeEmails: (place) => `Adressen der Regel ${place}`,
    routeEmailsNote: 'Eine Adresse in jeder Zeile, höchstens 10',
    addRoute: 'Regel hinzufügen',
    removeRoute: (place) => `Regel ${place} entfernen`,
    replyNote: 'Höchstens eine E-Mail pro Stunde und 5 pro Tag. Antworten darauf gehen an die erste Adresse darüber',
    replyTimes: {
      never: 'Keine Antwort',
      created: 'Nach der ersten Einsendung einer Person',
      each: 'Nach jeder Einsendung',
    },
    replyTextNote:
      'Eine Zeile, deren Platzhalter keinen Wert hat, entfällt. Eingegebene Texte werden nur an bestätigte Adressen ' +
      'gesendet, damit niemand über dieses Formular eigene Worte an andere sendet',
    placeholders: 'Platzhalter:',
    replyPreview: 'Vorschau der Antwort',

    preview: 'Vorschau',
    shownInPreview: 'In der Vorschau gezeigt',
    formShown: 'Formular',
    thanksShown: 'Dankesseite',
    sentTo: (url) => `Personen werden zu ${url} geleitet`,
  },

  emails: {
    note: (sourceAppId) => `Was ${sourceAppId} per E-Mail sendet. Jeder Name öffnet die Einstellungen dazu`,
    table: 'Tabelle der E-Mails',
    email: 'E-Mail',
    to: 'An',
    when: 'Wann',
    off: 'Wird nicht gesendet',
    person: 'Die Person, die eingesendet hat',
    team: 'Ihr Team',
    names: {
      notification: 'Benachrichtigung Ihres Teams',
      reply: 'Antwort auf eine Einsendung',
      confirmation: 'Bestätigung der E-Mail-Adresse',
      change: 'Bestätigung einer Änderung',
    },
    whens: {
      confirmation: 'Nach der ersten Einsendung einer Person',
      change: 'Wenn jemand eine E-Mail-Adresse eingibt, die die App kennt',
    },
  },

  import: {
    page: 'Formular importieren',
    title: 'Ihr Formular',
    html: 'HTML Ihres Formulars',
    htmlNote:
      'Formulare für Formspree, Basin, Netlify, Web3Forms und Ihre eigenen funktionieren. Das HTML bleibt in Ihrem ' +
      'Browser.',
    htmlExample: `<form action="https://formspree.io/f/…" method="post">
  <label>Ihre E-Mail <input type="email" name="email" required></label>
  <label>Nachricht <textarea name="message"></textarea></label>
  <button>Senden</button>
</form>`,
    forms: (count) => plural(count, { one: 'Der Text enthält # Formular', other: 'Der Text enthält # Formulare' }),
    form: (name, controls) => `${name} (${plural(controls, { one: '# Steuerelement', other: '# Steuerelemente' })})`,
    unnamedForm: (number) => `Formular ${number}`,
    howToCopy:
      'Öffnen Sie Ihre Seite im Browser, lassen Sie ihren Quelltext anzeigen und kopieren Sie alles von <form bis ' +
      '</form>.',
    noForm: 'Kein Formular gefunden',
    noFormNote: 'Der Text enthält keine Formularfelder. Kopieren Sie alles von <form bis </form>.',

    changes: 'Änderungen in Ihrem HTML',
    formFor: (service) => `Dies ist ein Formular für ${service}.`,
    beginWith: 'Beginnen Sie das Formular mit dieser Zeile, damit es hierher gesendet wird:',
    refused: 'Zu ändern oder zu entfernen',
    nothingRefused: 'Die Felder können bleiben, wie sie sind.',
    others: 'Nicht gespeichert',
    corrected: 'Korrigiertes Formular',
    marked: (added, removed) => (
      <>
        Was {added} ist und was {removed}, ist markiert. Die Kopie enthält das Ergebnis.
      </>
    ),
    added: 'neu',
    removed: 'entfällt',
    correctedHtml: 'Korrigiertes HTML',

    fields: 'Felder',
    noFields: 'Das Formular hat außer der E-Mail-Adresse keine Felder.',
    table: 'Tabelle der Felder',
    label: 'Beschriftung',
    key: 'Schlüssel',
    type: 'Typ',
    schema: 'Im Schema',
    details: 'Einzelheiten',
    states: {
      new: 'Neu',
      exists: 'Vorhanden',
      differs: 'Anderer Typ',
    },
    required: 'Erforderlich',

    schemaHasAll: 'Das Schema enthält alle diese Felder.',
    addToDraft: (count) => `Dem Schema-Entwurf ${common.fields(count)} hinzufügen`,
    addToDraftNote: 'Sie prüfen den Entwurf, bevor er gespeichert wird.',
    adminAdds: (count, sourceAppId) =>
      `Ein Administrator kann dem Schema von ${sourceAppId} ${common.fields(count)} hinzufügen. Senden Sie ihm diesen ` +
      'Text für den Reiter „JSON“ des Schema-Editors.',
    schemaAsJson: 'Schema als JSON',

    meanings: {
      next: 'Verstanden: die Seite nach dem Formular',
      error: 'Verstanden: die Seite nach einer Ablehnung',
      honeypot: 'Verstanden: ein verstecktes Feld, das Bots erkennt',
      key: 'Verstanden: speichert eine wiederholte Einsendung nur einmal',
      timeZone: 'Verstanden: die Zeitzone von Zeiten',
      charset: 'Verstanden: die Zeichenkodierung',
      proofOfWork: 'Verstanden: die Lösung der Rechenaufgabe',
      replyTo: 'Angenommen und ignoriert, weil das Formular eine E-Mail-Adresse hat',
      ignored: 'Angenommen und ignoriert',
      underscore: 'Ignoriert: Namen, die mit _ beginnen, werden nicht gespeichert',
    },

    noElement: 'Um die Felder fehlt ein form-Element',
    plainText: 'Entfernen Sie enctype="text/plain", das nicht zuverlässig gelesen werden kann',
    captcha: 'Entfernen Sie das Captcha. Die Einstellungen bieten einen Schutz vor Bots ohne Captcha',
    replaceCaptcha: 'Das Captcha durch das dieser App ersetzen',
    renameHoneypot: 'Benennen Sie das versteckte Feld für Bots in _gotcha um',
    noEmail: 'Das Formular hat keine E-Mail-Adresse. Fügen Sie <input type="email" name="email" required> hinzu',
    renameEmail: 'Benennen Sie es in email um, das jede Einsendung benötigt',
    requiredBySchema: (label) => `Das Schema verlangt es (${label}), und im Formular fehlt es`,
    file: 'Das Formular nennt keine Dateiarten. Prüfen Sie sie im Schema',
    password: 'Passwörter sollten nicht erfasst werden. Entfernen Sie das Feld',
    noKey: (key) => `Der Name kann kein Schlüssel sein. Benennen Sie es in ${key} um`,
    staffOnly:
      'Nur das Team der App kann dieses Feld setzen. Benennen Sie es um oder entfernen Sie es aus dem Formular',
    allowWebsite: (origin) =>
      `Personen werden nur zu erlaubten Websites geleitet. Erlauben Sie ${origin} auf der Seite „Teilen“`,
    noName: 'Hat keinen Namen und wird daher von Browsern nicht gesendet',
    buttonName:
      'Entfernen Sie den Namen der Schaltfläche: Browser senden sie als Feld. Ist sie eine Antwort, fragen Sie mit Optionsfeldern',
    imageButton: 'Benennen Sie das Bild in _image um: Browser senden die Stelle des Klicks als Felder',
    buttonPlace: (attributes) =>
      `Entfernen Sie ${attributes} der Schaltfläche, womit das Formular nicht hierher gesendet wird`,

    severalValues: 'Mehrere Werte: Jede Einsendung hängt sie an eine Liste an',
    changeValue: (value) => `Ändern Sie value="${value}" in value="true": Andere Texte werden abgelehnt`,
    hiddenFalse:
      'Setzen Sie ein verstecktes input-Element mit value="false" und demselben Namen davor, damit auch „nicht angekreuzt“ ' +
      'gespeichert wird',
    giveValues: 'Geben Sie jedem Kontrollkästchen einen Wert: Ohne Wert senden alle „on“',
    hiddenNone:
      'Setzen Sie ein verstecktes input-Element mit leerem Wert und demselben Namen vor die Kontrollkästchen, damit auch ' +
      '„keines“ gespeichert wird',
    noOptions: 'Hat keine Auswahlmöglichkeiten und wird daher ein Text',
    noZone: 'Sendet Zeiten ohne Zeitzone: Legen Sie die Zeitzone in den Einstellungen fest',
    withoutOption: (option, message) => `Ohne ${option}: ${message}`,
    initialValue: 'Anfangswert',
    becomesText: (message) => `Wird ein Text: ${message}`,
    invalid: 'ist ungültig',
  },

  snippets: {
    title: 'Das Formular auf Ihre Website setzen',
    html: {
      name: 'Einfaches HTML',
      note: 'Für jede Website. Benötigt kein JavaScript.',
      use: 'Kopieren Sie das Formular in Ihre Seite, oder speichern Sie den ganzen Text als Datei mit der Endung .html und öffnen Sie sie.',
    },
    embed: {
      name: 'Einbetten',
      note: 'Für ein Formular, das immer die neuesten Felder zeigt. Benötigt JavaScript.',
      use: 'Fügen Sie beide Zeilen dort ein, wo das Formular erscheinen soll.',
    },
    enhanced: {
      name: 'Erweitertes Formular',
      note: 'Für ein Formular in Ihrer eigenen Gestaltung, das gesendet wird, ohne die Seite zu verlassen. Funktioniert auch ohne JavaScript.',
      use: 'Kopieren Sie das Formular und das Skript in Ihre Seite, oder speichern Sie den ganzen Text als Datei mit der Endung .html.',
    },
    link: {
      name: 'Link',
      note: 'Für E-Mails, Profile und Websites, auf denen Sie kein Formular einfügen können. Benötigt nichts.',
      use: 'Fügen Sie den Link in Ihre Seite ein, oder senden Sie seine Adresse an andere.',
    },
    fetch: {
      name: 'JavaScript',
      note: 'Für ein Skript auf Ihrer eigenen Seite. Benötigt JavaScript.',
      use: 'Fügen Sie den Code in ein Skript vom Typ „module“ ein, und ersetzen Sie die Beispielwerte.',
    },
    curl: {
      name: 'Terminal',
      note: 'Für einen schnellen Versuch ohne Website. Benötigt curl.',
      use: 'Fügen Sie den Befehl in ein Terminal ein.',
    },
    node: {
      name: 'Node.js',
      note: 'Für Ihren eigenen Server. Benötigt Node.js 20 oder neuer.',
      use: 'Speichern Sie den Code als Datei mit der Endung .mjs, und ersetzen Sie die Beispielwerte.',
    },
    jsonSchema: {
      name: 'JSON-Schema',
      note: 'Für Programme, die Daten vor dem Senden prüfen oder Code erzeugen.',
      use: (url, app) => `Kopieren Sie es, oder lesen Sie das neueste unter ${url} mit dem Header x-app-id: ${app}.`,
    },
    formHeld:
      'Das Formular verlangt eine Rechenaufgabe: Seine Einsendungen werden zurückgehalten, bis Sie sie freigeben. ' +
      'Verwenden Sie stattdessen „Einbetten“ oder „Erweitertes Formular“.',
    codeRefused:
      'Dieser Code wird abgelehnt: Er löst die Aufgabe des Schutzes vor Bots nicht. Verwenden Sie stattdessen ' +
      '„Einbetten“, „Erweitertes Formular“ oder „Link“.',
    onlyFiles:
      'Funktioniert aus einer Datei auf Ihrem Computer. Bevor Sie es ins Internet stellen, fügen Sie Ihre Website unter ' +
      '„Erlaubte Websites“ hinzu.',
    noWebsite:
      'Noch ist keine Website erlaubt. Fügen Sie Ihre unter „Erlaubte Websites“ hinzu, oder machen Sie einen Versuch ' +
      'und erlauben Sie die Website dort mit einem Klick.',
    onlyHere: (origin) =>
      `Es sendet an ${origin}, was nur auf diesem Computer funktioniert. Bevor Sie es ins Internet stellen, öffnen Sie ` +
      'das Dashboard unter der öffentlichen Adresse des Dienstes und kopieren Sie es dort.',

    trap: 'Menschen sehen dieses Feld nicht. Füllt ein Programm es aus, wird seine Einsendung zurückgehalten.',
    ownPage: 'Um danach eine eigene Seite zu zeigen, ändern Sie diese Adresse und entfernen Sie die Kommentarzeichen:',
    fileFirst: 'Zuerst wird die Datei gesendet. Die Einsendung enthält das Token der Antwort.',
    noRandomUuid: 'crypto.randomUUID() gibt es nur auf HTTPS-Seiten.',
    sameKey: 'Ohne Antwort denselben Schlüssel erneut senden. Der Datensatz wird dann nur einmal gespeichert.',
    storedAs: 'Gespeichert als',
  },
};
