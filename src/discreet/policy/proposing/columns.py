"""What the name of a column says about it, in several languages.

Words stand without accents and in small letters; ``*`` stands for any letters. Where several match, the first wins: a
``disease_name`` is a disease, not a name.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from discreet.policy.words import Role

A_WEIGHT = "a sampling weight"
# What marks a part of a data set, as the whole name.
_PARTS = re.compile(
    r"(?:data ?)?(?:part|split|fold|folds|set|subset|partition|train|test|train test|holdout|cv|cv fold|ballot|version)"
    r"(?: set| split| part)?|is (?:train|test)(?:ing)?|(?:train|test|data) ?set"
)
# What a name says that counts, measures or ranks something: between 2 and 4 there is 3.
_AMOUNT = re.compile(
    r"(?:^|.* )(?:age|ages|size|[a-z]*size|count|counts|n|num|number|hours|days|weeks|months|years|year|minutes|times"
    r"|children|kids|persons|people|score|scale|rank|rating|level|grade|educ|education|isced|stage|rate|ratio|percent"
    r"|pct|length|duration|los|stay|height|bmi|distance|temperature|quantity|qty|total|sum|mean|average|wave|round"
    r"|alter|anzahl|groesse|grosse|stufe|jahr|jahre|kinder|stunden|edad|hijos|anos|horas|numero de|nivel"
    r"|enfants|annee|heures|niveau|nombre de)(?: .*|$)"
)
_CODE = re.compile(
    r"(?:^|.* )(?:code|codes|[a-z]*code|cd|type|class|[a-z]*class|cat|category|status|kind|group|flag|typ|art|klasse"
    r"|tipo|clase|codigo|estado|categorie|statut)(?: [0-9]+)?"
)
_BLOCK = re.compile(r"(.*?[^0-9])[0-9]+[a-z]?(?:[_ .-][0-9]{1,2})?")


@dataclass(frozen=True)
class Meaning:
    """What a column holds, in a word for the user, and the role that follows from it."""

    what: str
    role: Role
    weak: bool = False  # the word alone does not say much: `name` and `id` may be those of a hospital


_WORDS: dict[Meaning, str] = {
    Meaning("a person's name", Role.IDENTIFIER): """
        first name, firstname, given name, forename, last name, lastname, surname, family name, full name,
        fullname, maiden name, middle name, birth name, patient name, customer name, employee name, person name,
        user name, username, login, nickname, vorname, nachname, familienname, geburtsname, *benutzername,
        nombres, apellido, apellidos, prenom, prenoms, nom de famille, patronyme, cognome, voornaam, achternaam,
        sobrenome, apelido""",
    Meaning("an official number", Role.IDENTIFIER): """
        ssn, social security*, passport*, national id, nin, nino, nhs*, mrn, medical record*, tax id, taxid, iban,
        account*, credit card*, card number, license plate, driver*, insurance number, policy number,
        sozialversicherung*, versichertennummer, krankenkassennummer, steuer*, personalausweis*, reisepass*,
        ausweis*, konto*, kennzeichen, dni, nie, nif, curp, rfc, cpf, pasaporte, numero de cuenta, seguridad
        social, num secu, nir, securite sociale, numero de securite*, passeport, codice fiscale, bsn, pesel""",
    Meaning("a way to reach the person", Role.IDENTIFIER): """
        email*, e mail*, mail, phone*, telephone*, mobile*, cell, cellphone, fax*, contact, telefon*, handy*,
        mobil, mobilnummer, mobiltelefon, correo*, movil, celular, courriel, portable, ip, ip address, ipaddress,
        mac address, url, website, twitter, street*, address*, house number, strasse*, hausnummer, adresse*,
        anschrift, direccion*, calle, domicilio, rue, voie, indirizzo, adres, endereco, gps*, coordinates""",
    Meaning("free text", Role.IDENTIFIER): """
        comment*, note, notes, remark*, description, free text, freetext, narrative, kommentar*, bemerkung*,
        notiz*, beschreibung, comentario*, observacion*, descripcion, commentaire*, remarque*, observation*""",
    Meaning("health", Role.SENSITIVE): """
        cpt, hcpcs, drg, ndc, atc, procedure*, surgery*, vaccin*, blood*, cholesterol, glucose, smok*, alcohol*,
        pregnan*, allerg*, depress*, anxiety, mental*, eingriff*, impf*, embaraz*, grossesse,
        disease*, diagnos*, illness*, icd, icd9, icd10, comorbid*, symptom*, medication*, drug*, treatment*,
        therapy*, prescription*, hiv*, covid*, disability, disorder*, test result, lab result, pathology, cancer,
        krankheit*, erkrankung*, befund*, medikament*, behandlung*, therapie*, behinderung, enfermedad*,
        diagnostico*, padecimiento, medicamento*, tratamiento*, discapacidad, maladie*, diagnostic*, traitement*,
        medicament*, handicap, malattia*, ziekte*, doenca*""",
    Meaning("money", Role.SENSITIVE): """
        salary*, *income*, wage*, earning*, pay, payment*, cost, costs, debt*, loan*, credit score, balance, net worth,
        capital gain*, capital loss*, profit*, paid, amount*, charge, charges, price*, fee, fees, premium*, expense*,
        expenditure*, tax, taxes, wealth, rent, mortgage, betrag*, umsatz, preis*, importe*, monto*, gasto*, precio*,
        montant*, prix, depense*, loyer,
        gehalt*, lohn*, kosten, *kosten, einkommen*, verdienst*, schulden, salario*, sueldo*, ingreso*, renta,
        deuda*, salaire*, revenu*, remuneration, dette*, stipendio, reddito, salaris, inkomen, renda""",
    Meaning("a belief, a conviction or an intimate fact", Role.SENSITIVE): """
        religion*, faith, belief*, political*, party, vote*, sexual*, orientation, crime*, criminal*, conviction*,
        opinion*, attitude*, satisf*, trust*, happiness, ideolog*, zufriedenheit*, vertrauen*, meinung*, opinion*,
        offence*, offense*, arrest*, union member*, glaube, konfession, partei*, straftat*, vorstrafe*, religione,
        religioso*, partido*, delito*, antecedentes, parti, croyance, condamnation*, delit""",
    Meaning("age or birth", Role.QUASI_IDENTIFIER): """
        age, ages, agegroup, agerange, birth*, dob, born, yob, date of birth, alter, altersgruppe, geburt*, geb,
        gebdat, jahrgang, edad*, nacimiento*, fecha nac, cumpleanos, naissance*, ne le, eta, nascita, leeftijd,
        geboorte*, idade, nascimento""",
    Meaning("a postal code", Role.QUASI_IDENTIFIER): """
        zip*, post code, postcode, postal*, plz, postleitzahl, cp, codigo postal, code postal, codepostal, cap,
        cep""",
    Meaning("a place", Role.QUASI_IDENTIFIER): """
        city*, town*, village, county, district, region*, state, province, municipality, country*, nation*,
        citizenship, place, location, latitude, lat, longitude, lon, lng, birthplace, residence, neighbourhood,
        neighborhood, tract, urban*, rural*, stratum, strata, psu, stadt*, ort, ortsteil,
        wohnort, gemeinde*, kreis, landkreis, bundesland, land,
        staat*, herkunft*, ciudad*, municipio, provincia, pais*, nacionalidad, localidad, barrio, ville*, commune,
        departement, pays, nationalite, lieu""",
    Meaning("sex or gender", Role.QUASI_IDENTIFIER): "sex*, gender*, geschlecht*, sexo, genero, sexe, genre, sesso",
    Meaning("origin", Role.QUASI_IDENTIFIER): """
        race*, ethnic*, ancestry, skin, rasse, ethnie*, abstammung, raza, etnia, etnico, origen*, origine*, razza""",
    Meaning("family", Role.QUASI_IDENTIFIER): """
        marital*, marst, married, civil status, relationship, household*, hhsize, famsize, spouse, children, kids,
        family*, familienstand*,
        haushalt*, kinder*, ehe, ehestand, estado civil, hijos, hogar, familia*, etat civil, situation familiale,
        enfants, menage""",
    Meaning("education or work", Role.QUASI_IDENTIFIER): """
        educ*, degree, school*, university, isced*, isco*, occup*, employ*, emplstat*, job*, profession*, employer,
        workclass, industry,
        company, department, title, hours*, bildung*, schule*, abschluss*, beruf*, arbeitgeber, branche, firma,
        abteilung, educacion, escuela, estudios, profesion, ocupacion, trabajo, empleo, empresa, formation,
        diplome, ecole, metier, emploi, travail, entreprise, employeur""",
    Meaning("a time that others may know", Role.QUASI_IDENTIFIER): """
        date*, day, month, year, wave, interview*, stay, los, admission*, admitted, discharge*, visit*,
        timestamp, created, updated, time,
        datum*, *datum, aufnahme*, entlassung*, zeit*, fecha*, ingreso hospital, alta, jour, mois, annee, data""",
    Meaning("a measure of the body", Role.QUASI_IDENTIFIER): """
        height*, bmi, body *, *grosse, groesse, estatura, talla, taille""",
    Meaning(A_WEIGHT, Role.IDENTIFIER): """
        *wgt*, weight*, *weight, weighting, wt, pweight*, gewicht*, *gewicht, hochrechnung*, pond*, poids,
        expansion factor, factor de expansion""",
    Meaning("language", Role.QUASI_IDENTIFIER): "language*, mother tongue, sprache*, muttersprache, idioma, langue",
    Meaning("a name", Role.IDENTIFIER, weak=True): "name*, *name, nombre, nom, nome, naam",
    Meaning("a number of its own", Role.IDENTIFIER, weak=True): """
        id, ids, pid, uid, userid, patientid, customerid, clientid, personid, memberid, studentid, subjectid, key,
        uuid, guid, number, no, num, nr, nummer, *nummer, numero, index, row, rownum, record, serial, patient,
        customer, client, employee, person, user, kunde, kunden*, kennung, schluessel, cliente, paciente,
        identifi*, matricule, code patient""",
}


def _pattern(text: str) -> re.Pattern[str]:
    """What finds one of some words among those of a name; one pattern, as tables may have thousands of columns."""
    words = (" ".join(word.split()).replace("*", "[^ ]*") for word in text.split(","))
    return re.compile(rf"(?:^|(?<= ))(?:{'|'.join(words)})(?= |$)")


@cache
def _patterns() -> list[tuple[Meaning, re.Pattern[str]]]:
    """Made when they are asked for: it takes as long as all else of a module."""
    return [(meaning, _pattern(text)) for meaning, text in _WORDS.items()]


_KEY = re.compile(
    r"(?:.*\s)?(?:(?:p|u|user|patient|customer|client|person|member|student|subject|record|case)?ids?|uuid|guid|key|ref"
    r"|reference|\w*(?:number|nummer)|no|num|nr|numero)|id\s.*"
)


def names_a_key(name: str) -> bool:
    """Does the name end as those of keys do, whatever it is the key of? (``num_children`` is a count.)

    >>> names_a_key("voter_id"), names_a_key("Kundennummer"), names_a_key("num_children"), names_a_key("paid")
    (True, True, False, False)
    """
    return _KEY.fullmatch(" ".join(words_of(name))) is not None


# What rows a key may be shared by. The first is the one that says whose row it is.
A_PERSON = "a person"
_OWNERS: dict[str, str] = {
    A_PERSON: """
        patient, pat, person, individual, subject, participant, member, customer, client, user, employee, worker,
        student, pupil, citizen, resident, inhabitant, voter, donor, tenant, borrower, insured, beneficiary, enrollee,
        policyholder, cardholder, taxpayer, respondent, pid, patientin, patienten, kunden?, kundin, personen, personal,
        mitglied(?:er)?, versichert(?:er|e|en)?, mitarbeiter, proband(?:in|en)?, teilnehmer, schueler, schuler,
        studierenden?, mandant(?:en)?, burger, buerger, einwohner, mieter, nutzer, benutzer, paciente, persona, cliente,
        socio, afiliad[oa], emplead[oa], trabajador(?:a)?, alumn[oa], estudiante, usuari[oa], ciudadan[oa],
        asegurad[oa], patiente, personne, adherente?, assuree?, salariee?, eleve, etudiante?, utilisateur, usager,
        beneficiaire, paziente, assistito, utente, dipendente, deelnemer, klant, persoon, lid, pessoa""",
    "a visit or a stay": """
        visits?, encounters?, admissions?, stays?, episodes?, cases?, consultations?, appointments?, sessions?, events?,
        hospitali[sz]ations?, fall, falle, faelle, besuche?, aufnahme, aufenthalt, behandlung, termin, vorgang,
        visitas?, ingresos?, episodios?, casos?, consultas?, citas?, sejours?, passages?, visites?, dossiers?""",
    "an order, a bill or a claim": """
        orders?, purchases?, transactions?, invoices?, bills?, claims?, payments?, bookings?, reservations?, receipts?,
        prescriptions?, contracts?, tickets?, auftrags?, bestellungs?, rechnungs?, buchungs?, rezept, vertrags?,
        schaden, pedidos?, facturas?, compras?, recetas?, contratos?, commandes?, factures?, achats?, ordonnances?,
        contrats?""",
    "a place or an organization": """
        hospitals?, clinics?, wards?, departments?, dept, units?, stations?, sites?, cent(?:er|re)s?, practices?,
        facility, stores?, shops?, branch, company, employers?, schools?, university, class, courses?, agency, banks?,
        zip, postcode, city, town, region, country, krankenhaus, klinik, praxis, abteilung, filiale, firma, schule,
        klasse, kurs, standort, geschaeft, geschaft, hospitales, clinica, sala, departamento, tienda, empresa, escuela,
        banco, hopital, clinique, service, magasin, ecole, entreprise, etablissement, agence, ospedale, reparto""",
    "somebody who treats, serves or sells": """
        doctors?, physicians?, providers?, nurses?, surgeons?, therapists?, practitioners?, pharmacists?, teachers?,
        sellers?, vendors?, agents?, drivers?, suppliers?, gp, arzt, arztin, aerztin, behandlers?, lehrers?,
        verkaeufers?, verkaufers?, lieferant(?:en)?, medic[oa]s?, enfermer[oa]s?, profesor, vendedor, medecins?,
        infirmiere?s?, professeurs?, vendeurs?, soignants?, fournisseurs?""",
    "a thing": """
        products?, items?, articles?, sku, drugs?, medications?, devices?, machines?, vehicles?, cars?, rooms?, beds?,
        samples?, specimens?, tests?, images?, scans?, messages?, documents?, files?, accounts?, cards?, produkts?,
        artikels?, geraets?, gerats?, fahrzeugs?, zimmers?, betten, probe, konto, productos?, articulos?, aparatos?,
        habitacion, cuenta, produits?, appareils?, echantillons?, chambre, compte""",
    "a household or a family": """
        households?, family, families, address, haushalts?, familien?, adresse, hogar(?:es)?, familias?, menages?,
        foyers?, familles?""",
    "a row": """
        rows?, records?, lines?, entry, entries, index, serial, zeilen?, satz, datensatz, filas?, registros?, lignes?,
        enregistrements?""",
}
_OFFICIAL = """
    ssn, social security*, passport*, national id, nin, nino, nhs*, mrn, medical record*, tax id, taxid, svnr,
    sozialversicherung*, versichertennummer, krankenversichertennummer, personalausweis*, reisepass*, steuer id,
    steueridentifikation*, dni, nie, nif, curp, cpf, pasaporte, seguridad social, num secu, nir, securite sociale,
    numero de securite*, passeport, codice fiscale, bsn, pesel"""
# What makes a key of a word: patient_id, KundenNr, id_cliente, member no.
_SIGNS = re.split(r"\s+", """id uuid guid key ref reference no nr num number nummer numero code hash pseudonym
    pseudonyme pseudo anon identifier identifiant identificador kennung schluessel schlussel matricule""")  # fmt: skip


@cache
def _official() -> re.Pattern[str]:
    return _pattern(_OFFICIAL)


@cache
def _owner_words() -> list[tuple[str, re.Pattern[str]]]:
    return [(what, re.compile("|".join(" ".join(text.split()).split(", ")))) for what, text in _OWNERS.items()]


def key_of(name: str) -> str:
    """What a column is the key of, by its name: ``A_PERSON``, something else, or nothing that we understand.

    >>> key_of("patient_id"), key_of("Kundennummer"), key_of("visit_id"), key_of("patient_age"), key_of("id")
    ('a person', 'a person', 'a visit or a stay', '', '')
    >>> key_of("patients"), key_of("num_patients")  # how many
    ('', '')
    """
    words = words_of(name)
    if _official().search(" ".join(words)):
        return A_PERSON
    signed = False
    while words and (words[-1].rstrip("s") in _SIGNS or words[-1].isdecimal()):
        signed = signed or not words[-1].isdecimal()
        words.pop()
    if not words:
        return ""
    last = words[-1]
    candidates = [last, *([last.removesuffix("s")] if signed else [])]
    candidates += [part.removesuffix("s") for sign in _SIGNS if (part := last.removesuffix(sign)) not in ("", last)]
    return next((what for word in candidates for what, pattern in _owner_words() if pattern.fullmatch(word)), "")


def words_of(name: str) -> list[str]:
    """The words in a column's name.

    >>> words_of("dateOfBirth_1"), words_of("Año-Nacimiento"), words_of("ZIPCode")
    (['date', 'of', 'birth', '1'], ['ano', 'nacimiento'], ['zip', 'code'])
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return re.findall(r"[a-z]+|[0-9]+", plain.lower())


def meaning_of(name: str) -> Meaning | None:
    """What a column's name says; None if it says nothing we understand.

    >>> meaning_of("Geburtsdatum").what, meaning_of("disease_name").what, meaning_of("x17")
    ('age or birth', 'health', None)
    """
    words = " ".join(words_of(name))
    return next((meaning for meaning, pattern in _patterns() if pattern.search(words)), None)


def names_a_part(name: str) -> bool:
    """Does the name say to which part of a data set a row belongs, as machine learning and fieldwork mark it?

    >>> names_a_part("part"), names_a_part("is_train"), names_a_part("cv-fold"), names_a_part("body part")
    (True, True, True, False)
    """
    return _PARTS.fullmatch(" ".join(words_of(name))) is not None


def names_an_amount(name: str) -> bool:
    """Does the name count, measure or rank something?

    >>> names_an_amount("education-num"), names_an_amount("household_size"), names_an_amount("marital")
    (True, True, False)
    """
    return _AMOUNT.fullmatch(" ".join(words_of(name))) is not None


def names_a_code(name: str) -> bool:
    """Does the name say that its values stand for something?

    >>> names_a_code("workclass"), names_a_code("status_code"), names_a_code("hours")
    (True, True, False)
    """
    return _CODE.fullmatch(" ".join(words_of(name))) is not None


def stem_of(name: str) -> str:
    """What the columns of one block of questions have in common; nothing where the name has no number.

    >>> stem_of("q17"), stem_of("Q2_3"), stem_of("v101b"), stem_of("age")
    ('q', 'q', 'v', '')
    """
    match = _BLOCK.fullmatch(name.strip().lower())
    return match[1].rstrip("_ .-") if match else ""
