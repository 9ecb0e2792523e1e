/**
 * Words that indicate the meaning of a number next to them, by language. A word matches itself, `stem*` all words that
 * start so, `*tail` all that end so; scripts without spaces between words match anywhere. The longest match wins, so
 * `zip code` is not a `code`. All are in lower case.
 */

/**
 * Kind of a word: `code` names a one-time code, `other` any other number, `unit` is what a number counts, `money` is a
 * currency that may also precede, `sign` is about signing in, `type` asks to type something in, `offer` is about a
 * promotion, whose codes are the same for everyone.
 */
export type CueKind = "code" | "other" | "unit" | "money" | "sign" | "type" | "offer";

/** Comma-separated words of one language. */
export type Words = Readonly<Partial<Record<CueKind, string>>>;

/** Language tag → its words; `und` has abbreviations and signs of no language. */
export const wordsByLanguage: Readonly<Record<string, Words>> = {
  und: {
    code: "otp, otps, totp, pin, pins, tan, mtan, smstan, 2fa, mfa, pin-*",
    other:
      "id-nr*, nr, nr., no., no:, n°, nº, n.º, №, iban, bic, ean, isbn, issn, sku, upc, vin, vat, tel, tel., fax, ocr, cvr, nip, wkn, isin, acc, a/c, nif, cif, инн, siret, siren, gst, pid, cep, plz, rfc, uuid, mac, qr code, qr-code*, ref, ref., refs, p.o. box, po box, serial*, model*, imei, pnr, crn",
    money:
      "eur, usd, gbp, chf, jpy, cny, inr, rub, pln, czk, huf, ron, sek, nok, dkk, brl, mxn, krw, aud, cad, sgd, myr, idr, vnd, thb, php, aed, sar, zar, kr, kr., kč, zł, lei, tl, rs, rs., rm, rp, rp., r$, $, €, £, ¥, ₹, ₽, ₺, ₴, ₪, ₩, ฿, ₫",
    unit: "ft, ft., %, ‰, km, cm, mm, kg, mg, ml, kw, kwh, mwh, wh, hz, khz, mhz, ghz, kb, mb, gb, tb, kib, mib, gib, ms, min, min., px, pt, dpi, kcal, kbps, mbps, rpm, hpa, °c, °f",
  },
  en: {
    offer:
      "% off, checkout, savings, discount*, coupon*, promo*, voucher*, black friday, deal, deals, rabatt*, gutschein*, réduction*, remise*, soldes, descuento*, desconto*, cupom*, cupón*, sconto*, sconti, korting*, zniżk*, rabat*, slev*, zľav*, kedvezmény*, reducere*, έκπτωσ*, скидк*, знижк*, indirim*, خصم*, الخصم*, הנחה*, छूट*, ส่วนลด, giảm giá*, diskon*, 优惠, 優惠, 折扣, クーポン, 割引, 할인",
    code: "code, codes, passcode*, password*, passkey*, verification number, security number, transaction code*, gate code*, building code*, room code*, account code*, mobile code*, phone code*, parcel code*, package code*, shipment code*, terminal code*, token, tokens, secret number, digits",
    other:
      "order*, invoice*, account*, acct*, customer*, client*, ticket*, case, tracking*, parcel*, package*, shipment*, reference*, receipt*, booking*, reservation*, confirmation number*, confirmation no*, member*, policy*, contract*, article*, item, items, product*, part no*, part number*, batch*, lot no*, build*, version*, release*, commit*, branch*, job, run, issue*, bug*, error*, exit code, status code*, response code*, return code*, zip*, postcode*, post code*, postal*, area code*, country code*, dialling code*, dialing code*, sort code*, tax, taxes, source code*, barcode*, bar code*, dress code, code of*, promo*, discount*, coupon*, voucher*, gift*, referral*, campaign*, product code*, currency code*, swift*, phone*, telephone*, mobile*, call, dial, hotline*, helpline*, room*, suite*, flight*, gate*, seat*, train, terminal*, floor*, building*, street, avenue, road, plate, licence*, license*, meter*, amount*, total*, balance*, price*, fee, fees, revenue*, gross, net, salary, id number*, user id*, customer id*, order id*, transaction*, meeting id*, webinar id*, session id*, event id*, device id*, employee*, student*, patient*, nhs*, ending*, ends in, ends with, last four*, last 4, copyright, since, founded, page, pages, chapter*, section*, population, ext, extension*, incident*, alert*, registered no*, registered office, request, request id*, requests, pr, vs code, code review*, code coverage, code freeze*, code owner*, code qualit*, code word*, lines of code, number, numbers, auth, port, line, host, size, usage, vehicle*, text stop*, text help*, stop to, help to, quantity, qty, stock*, invoice, issue, worker, period, fy, apartment, apt, locker, voicemail box, mailbox",
    unit: "minute*, hour*, day, days, second, seconds, week*, month*, year*, point, points, people, person, persons, user, users, customers, visitor*, litre*, liter*, metre*, mile*, dollar*, euro, euros, pound*, piece*, pcs, pieces, items, night*, times, view*, vote*, likes, follower*, steps, passed, failed, tests, rows, records, street, avenue, ave, road, lane, drive, blvd, boulevard, percent, calories, fans, jobs, characters, credits, miles, spaces, seats, units, employees, participants, subscribers, members, downloads, req",
    type: "enter, type, type in, input, key in, use, reply with, text, submit",
    sign: "verif*, sign in, sign-in, signing in, sign up, log in, login*, log-in*, logging in, authenticat*, two-factor, two-step, 2-step, confirm*, authoriz*, authoris*, one-time*, reset*, activate*, activation, expires, do not share, don't share, never share, valid for",
  },
  de: {
    type: "geben sie, gib, eingeben, verwende*, nutze*, benutze*, tippe*, tippen sie",
    code: "*code, *codes, kennwort*, passwort*, einmalpasswort*, *passwort, *kennwort, geheimzahl*, *pin, *tan, kennzahl",
    other:
      "*nummer, *nummern, *-nr, *-nr., *nr, bestell*, rechnung*, kunden*, auftrag*, sendung*, konto*, vertrag*, aktenzeichen, vorgang*, ticket*, postleitzahl*, betrag*, summe, gesamt*, gesamtbetrag, zimmer, raum, telefon*, rabattcode*, gutschein*, aktionscode*, *gutscheincode, strichcode*, fehlercode*, steuer*, artikel*, *straße, *strasse, abschlag, endet auf, seit, artikelcode*",
    unit: "minuten, minute, stunden, tage, tagen, euro, uhr, punkte, stück, personen, prozent, jahre",
    sign: "bestätig*, anmeld*, einlogg*, verifizier*, freigabe*, gültig*",
  },
  nl: {
    type: "gebruik, voer, vul, typ, toets",
    code: "*codes, wachtwoord*, *wachtwoord, pincode*, toegangscode*",
    other:
      "*nummer, factuur*, bestel*, klant*, postcode*, rekening*, pakket*, bedrag*, kortingscode*, kamer, bel, totaal, order*, zending*, actiecode*",
    unit: "minuten, uur, dagen, euro, punten, stuks, personen",
    sign: "bevestig*, inlog*, aanmeld*, verifieer*, verificatie*, geldig*",
  },
  fr: {
    type: "saisissez, saisir, entrez, entrer, utilisez, tapez, composez, indiquez",
    code: "code*, codes, mot de passe, mots de passe",
    other:
      "numéro*, commande*, facture*, client*, colis*, code postal*, codes postaux, code promo*, code barre*, code-barre*, code erreur*, code de réduction, compte*, contrat*, dossier*, référence*, montant*, total*, téléphone*, chambre, vol, siège, rue, se terminant*, suivi",
    unit: "minutes, heures, jours, euros, points, personnes, pièces, ans, dirhams, francs, rue, avenue",
    sign: "vérifi*, connexion, connecter, confirm*, valid*, authentif*, usage unique",
  },
  es: {
    type: "introduce, introduzca, ingresa, ingrese, usa, use, utiliza, utilice, escribe, escriba, teclea, teclee, digita, digite",
    code: "código*, codigo*, nip temporal, tu nip, su nip, clave*, contraseña*, pin",
    other:
      "número*, numero, pedido*, factura*, cliente*, envío*, código postal*, códigos postales, código promo*, código de descuento, código de barras, cuenta*, contrato*, referencia*, importe*, total*, teléfono*, habitación, vuelo, seguimiento, terminad*, calle, cupón*, expediente*",
    unit: "minutos, horas, días, euros, pesos, puntos, personas, piezas, años, dólares",
    sign: "verific*, iniciar sesión, inicio de sesión, confirm*, autoriz*, autentic*, acceder, acceso, continuar, caduca*",
  },
  ca: { code: "codi*, contrasenya*, clau", other: "comanda*, codi postal*, número*, compte*", sign: "verific*" },
  pt: {
    type: "use, utilize, digite, insira, introduza, informe",
    code: "código*, senha*, palavra-passe, chave de acesso",
    other:
      "número*, pedido*, encomenda*, fatura*, cliente*, código postal*, código de barras, código promo*, conta, contas, contrato*, referência*, protocolo*, valor*, total*, telefone*, quarto, voo, rastrei*, final da conta, cartão final, cupom*",
    unit: "minutos, horas, dias, euros, reais, pontos, pessoas, peças, anos",
    sign: "verific*, entrar, confirm*, autoriz*, autentic*, acesso, acessar, válido",
  },
  it: {
    type: "inserisci, inserire, usa, usi, utilizza, utilizzi, digita, digiti, immetti, scrivi",
    code: "codice*, codici*, password*, parola d'ordine",
    other:
      "numero, numeri, ordine*, fattura*, cliente*, spedizione*, codice fiscale*, codice postale*, codice sconto*, codice a barre*, codice promo*, conto, conti, contratto*, riferimento*, importo*, totale*, telefono*, volo, partita iva, pratica*, n.",
    unit: "minuti, ore, giorni, euro, punti, persone, pezzi, anni",
    sign: "verific*, acced*, accesso, conferm*, autorizz*, autentic*, temporane*, valido",
  },
  ro: {
    type: "introdu, introduceți, introduceti, folosește, folosiți, utilizați",
    code: "cod, codul*, coduri*, parol*",
    other:
      "număr*, numărul*, comanda, comenzi*, comenzii, factur*, client*, cod poștal*, codul poștal*, cod promo*, cont, contul*, contului, total*, telefon*, colet*",
    unit: "minute, ore, zile, puncte",
    sign: "verific*, autentific*, confirm*, conect*",
  },
  sv: {
    type: "ange, använd, skriv, mata in",
    code: "kod, koden, koder*, *kod, *koden, *koder, lösenord*, engångs*",
    other:
      "*nummer, *nummret, faktur*, order*, kund*, belopp*, streckkod*, rabattkod*, postkod*, konto*, rum, telefon*",
    unit: "minuter, timmar, dagar, kronor, poäng, personer, stycken",
    sign: "bekräft*, logga in, inlogg*, verifier*, legitimer*, giltig*",
  },
  da: {
    type: "brug, indtast, tast, skriv, bruk, oppgi, tast inn",
    code: "kode, koden, koder*, *kode, *koden, adgangskode*, engangs*, passord*, *passord",
    other:
      "*nummer, *nummeret, faktura*, ordre*, kunde*, beløb*, stregkode*, rabatkode*, postkode*, konto*, værelse, telefon*, strekkode*, rabattkode*",
    unit: "minutter, timer, dage, dager, kroner, point, poeng, personer",
    sign: "bekræft*, bekreft*, log ind, logge ind, logg inn, logge inn, verificer*, verifiser*, gyldig*",
  },
  is: { code: "*kóði, *kóðinn, *kóða, kóði*, kóðinn, lykilorð*", other: "pöntun*, póstnúmer*, *númer" },
  fi: {
    type: "syötä, anna, käytä, kirjoita",
    code: "*koodi, *koodisi, *koodin, koodi*, salasan*, *salasana, *salasanasi, tunnusluku*, *tunnusluku",
    other: "*numero, *numerosi, tilaus*, lasku*, asiakas*, postinumero*, alennuskood*, viivakood*, summa*, puhelin*",
    unit: "minuuttia, tuntia, päivää, euroa, pistettä, kpl",
    sign: "vahvist*, kirjaud*, tunnist*, kertakäyttö*",
  },
  et: { code: "kood, koodi, *kood, *koodi, parool*", other: "tellimus*, arve*, sihtnumber*, *number" },
  lv: { code: "kods, kodu, kodi, parol*", other: "pasūtījum*, rēķin*, pasta indeks*, numur*" },
  lt: { code: "kodas, kodą, kodu, slaptažod*", other: "užsakym*, sąskait*, pašto kod*, numeris, numerio" },
  pl: {
    type: "wpisz, podaj, użyj, wprowadź",
    code: "kod, kodu, kodem, kody, hasło*, hasła",
    other:
      "numer, numeru, numerem, numery, zamówien*, faktur*, klient*, przesył*, paczk*, kod pocztow*, kod rabatow*, kod promocyjn*, kod kreskow*, kod błędu, konto, konta, kwot*, telefon*, umow*, suma, razem, pokój, sprawa",
    unit: "minut*, godzin*, dni, złotych, punkt*, osób, sztuk",
    sign: "weryfik*, logow*, zaloguj*, potwierd*, autoryz*, jednorazow*",
  },
  cs: {
    type: "zadejte, zadajte, zadej, použijte, použite, vnesite, unesite, uporabite",
    code: "kód, kódu, kódem, kódy, heslo, hesla, kódom, koda, kodo, kode, koda za*",
    other:
      "číslo*, čísla, objednáv*, faktur*, zákazn*, zásilk*, zásielk*, psč, slevový kód*, zľavový kód*, čárový kód*, čiarový kód*, účet*, účtu, částk*, suma, celkem, telefon*, smlouv*, zmluv*",
    unit: "minut*, minút*, hodin*, hodín*, dní, dnů, korun*, bodů, bodov, osob, kusů, eur*",
    sign: "ověř*, over*, potvrz*, potvrd*, přihlá*, prihlá*, jednorázov*, prijav*",
  },
  hr: {
    code: "kod, koda, kodom, kodi, kôd, kôda, kôdom, kôdu, kodu, lozink*, šifra*, zapork*, geslo*",
    other: "narudžb*, račun*, poštanski*, broj*, naročil*, poštna*, številk*",
    sign: "prijav*, potvrd*, verifik*",
  },
  sq: { code: "kod*, fjalëkalim*", other: "porosi*, faturë*, numri*, kodi postar*", sign: "verifik*" },
  hu: {
    type: "írja be, írd be, adja meg, add meg, használja, használd",
    code: "kód, kódja, kódod, kódot, kódok, *kód, *kódja, *kódod, jelszó*, *jelszó",
    other:
      "*szám, *száma, rendelés*, számla*, ügyfél*, irányítószám*, összeg*, telefon*, csomag*, kuponkód*, vonalkód*",
    unit: "perc*, óra, nap*, forint*, pont*, fő, darab, db",
    sign: "ellenőrz*, belép*, bejelentkez*, megerősít*, egyszer*",
  },
  el: {
    type: "εισαγάγετε, εισάγετε, πληκτρολογήστε, χρησιμοποιήστε, δώστε",
    code: "κωδικ*, pin, συνθηματικ*",
    other:
      "αριθμ*, παραγγελ*, τιμολόγι*, πελάτ*, ταχυδρομικ*, ταχ. κώδ*, ποσό*, σύνολο, τηλ*, λογαριασμ*, εκπτωτικ*, κωδικός προϊόντος, δέμα*, αποστολ*",
    unit: "λεπτ*, ώρες, ημέρες, ευρώ, πόντ*, άτομα",
    sign: "επαλήθευσ*, σύνδεσ*, επιβεβαί*, μίας χρήσης",
  },
  ru: {
    type: "введите, введи, используйте, укажите, наберите",
    code: "код, кода, коды, кодом, коде, пароль*, пароля, пин, пин-код*, смс-код*, одноразов*",
    other:
      "номер*, заказ*, счёт*, счет*, договор*, клиент*, трек*, посылк*, индекс*, промокод*, штрих*, штрихкод*, код товара, код ошибки, сумм*, итого, карта*, карты, тел, тел., телефон*, артикул*, рейс*, комната, кабинет, баланс*, заявк*, отправлен*, накладн*",
    unit: "минут*, час, часа, часов, дней, дня, руб*, рублей, балл*, человек, шт, шт., лет, гривен, грн, лв, лева",
    sign: "подтвержд*, вход*, войти, авториз*, никому не*, действител*",
  },
  uk: {
    type: "введіть, введи, використайте, вкажіть",
    code: "код, коду, коди, кодом, пароль*, пароля, одноразов*",
    other:
      "номер*, замовлен*, рахун*, договір*, договор*, клієнт*, посилк*, індекс*, промокод*, сум*, картк*, телефон*",
    unit: "хвилин*, годин*, днів, гривень",
    sign: "підтвердж*, вхід*, увійти, нікому не*",
  },
  bg: {
    type: "въведете, използвайте",
    code: "кодът*, кода, код, парола*, паролата",
    other: "поръчк*, фактур*, пощенски код*, номер*, сметк*",
    sign: "потвържд*, вход*",
  },
  sr: {
    type: "унесите, укуцајте, користите",
    code: "код, кода, кодом, лозинк*, шифра*",
    other: "поруџбин*, рачун*, поштански*, број*, наруџб*",
    unit: "минут*, сат*, дана",
    sign: "потврд*, пријав*, верифик*",
  },
  tr: {
    code: "kod, kodu, kodun*, kodunuz*, kodum, kodlar*, şifre*, parola*, şifresi",
    other:
      "sipariş*, fatura*, müşteri*, numara*, posta kod*, indirim kod*, promosyon*, kupon*, hesap*, tutar*, toplam*, telefon*, kargo*, takip*, barkod*, referans*, sonu",
    unit: "dakika*, saat*, gün*, lira*, puan*, kişi, adet",
    sign: "doğrula*, onay*, giriş*, paylaşma*, tek kullanım*",
  },
  az: { code: "kod*, şifrə*, parol*", other: "sifariş*, nömrə*", sign: "təsdiq*" },
};
