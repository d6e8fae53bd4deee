"""Conflicts in wordings of English, German, French, Spanish and Italian that no rule was made for. 000-22."""

import pytest

from leaf.citations import conflicts
from leaf.citations.compared_files import File
from leaf.citations.quote_search import Passage

Statement = tuple[str, str]
"""A file and its text."""
PLANTED: list[tuple[str, Statement, Statement]] = [
    (
        "What is the monthly fee of the Larkspur cleaning contract?",
        ("Larkspur contract.pdf", "Cleaning contract Larkspur House\n\nThe monthly fee amounts to £1,240."),
        ("Larkspur letter.docx", "Letter about the cleaning contract Larkspur House\n\nFor cleaning we charge a fee of £1,310 a month."),  # noqa: E501 - a text
    ),
    (
        "How many licences does the Orion agreement include?",
        ("Orion.pdf", "Orion software agreement\n\nThe agreement covers 150 licences."),
        ("Orion mail.eml", "Orion software agreement\n\nWe have bought 120 licences."),
    ),
    (
        "How long is the probation period at Fernhill?",
        ("Fernhill handbook.pdf", "Fernhill staff handbook\n\nThe probation period lasts six months."),
        ("Fernhill offer.docx", "Fernhill offer letter\n\nYour probation period is 3 months."),
    ),
    (
        "Who signed the Tidewater agreement?",
        ("Tidewater.pdf", "Tidewater agreement\n\nThe agreement was signed by Helen Marsh."),
        ("Tidewater memo.docx", "Tidewater agreement memo\n\nThe agreement was signed by Robert Vance."),
    ),
    (
        "What is the population of Eastmere?",
        ("Eastmere report.pdf", "Eastmere report\n\nEastmere has 48,200 inhabitants."),
        ("Eastmere brochure.pdf", "Eastmere brochure\n\nThere are 51,000 inhabitants in Eastmere."),
    ),
    (
        "What is the interest rate of the Pinecrest loan?",
        ("Pinecrest loan.pdf", "Pinecrest loan agreement\n\nThe interest rate is 3.9% per annum."),
        ("Pinecrest summary.docx", "Pinecrest loan summary\n\nInterest rate: 4.2% per annum."),
    ),
    (
        "Wie hoch ist die monatliche Miete der Halle Süd?",
        ("Mietvertrag Halle Süd.pdf", "Mietvertrag Halle Süd\n\nDie monatliche Miete beläuft sich auf 3.450 Euro."),
        ("Schreiben Halle Süd.docx", "Schreiben Halle Süd\n\nAls Miete sind monatlich 3.600 Euro vereinbart."),
    ),
    (
        "Wie viele Plätze hat die Kita Sonnenhügel?",
        ("Konzept Sonnenhügel.pdf", "Konzept Kita Sonnenhügel\n\nDie Kita hat 75 Plätze."),
        ("Antrag Sonnenhügel.docx", "Antrag Kita Sonnenhügel\n\nIn der Kita gibt es 90 Plätze."),
    ),
    (
        "Wer leitet das Projekt Talbrücke?",
        ("Plan Talbrücke.docx", "Projektplan Talbrücke\n\nDas Projekt leitet Frau Sabine Ritter."),
        ("Protokoll Talbrücke.docx", "Protokoll Talbrücke\n\nDas Projekt wird von Thomas Behrend geleitet."),
    ),
    (
        "Wie schwer ist die Maschine Titan?",
        ("Datenblatt Titan.pdf", "Datenblatt Maschine Titan\n\nDie Maschine wiegt 860 kg."),
        ("Angebot Titan.pdf", "Angebot Maschine Titan\n\nGewicht der Maschine: 920 kg."),
    ),
    (
        "Wie viele Mitarbeiter hat die Firma Oberlin?",
        ("Bericht Oberlin.pdf", "Bericht Firma Oberlin\n\nDas Unternehmen beschäftigt 240 Mitarbeiter."),
        ("Profil Oberlin.pdf", "Profil Firma Oberlin\n\nOberlin hat 265 Mitarbeiterinnen und Mitarbeiter."),
    ),
    (
        "Wie groß ist das Büro in der Nordstraße?",
        ("Exposé Nordstraße.pdf", "Exposé Büro Nordstraße\n\nDas Büro ist 145 m² groß."),
        ("Vertrag Nordstraße.pdf", "Mietvertrag Büro Nordstraße\n\nDie Fläche des Büros beträgt 138 m²."),
    ),
    (
        "Quel est le loyer du local rue Verte ?",
        ("Bail rue Verte.pdf", "Bail du local rue Verte\n\nLe loyer mensuel est de 1 450 euros."),
        ("Lettre rue Verte.docx", "Lettre au sujet du local rue Verte\n\nLe loyer s'élève à 1 520 € par mois."),
    ),
    (
        "Combien de salariés compte la société Garonne ?",
        ("Rapport Garonne.pdf", "Rapport de la société Garonne\n\nLa société compte 85 salariés."),
        ("Plaquette Garonne.pdf", "Plaquette de la société Garonne\n\nNous employons 97 salariés."),
    ),
    (
        "Quelle remise est accordée à Maison Colbert ?",
        ("Contrat Colbert.pdf", "Contrat Maison Colbert\n\nUne remise de 6 % est accordée."),
        ("Courriel Colbert.eml", "Courriel Maison Colbert\n\nNous accordons une remise de 9 pour cent."),
    ),
    (
        "Combien pèse le piano Érard ?",
        ("Fiche Érard.pdf", "Fiche du piano Érard\n\nLe piano pèse 310 kg."),
        ("Transport Érard.pdf", "Transport du piano Érard\n\nPoids du piano : 345 kg."),
    ),
    (
        "Combien de places a la salle Ravel ?",
        ("Plan Ravel.pdf", "Plan de la salle Ravel\n\nLa salle dispose de 420 places."),
        ("Site Ravel.md", "Site de la salle Ravel\n\nLa salle Ravel a 450 places assises."),
    ),
    (
        "Quelle est la surface du terrain Les Pins ?",
        ("Acte Les Pins.pdf", "Acte du terrain Les Pins\n\nLe terrain a une surface de 2 300 m²."),
        ("Annonce Les Pins.pdf", "Annonce du terrain Les Pins\n\nSurface du terrain : 2 500 m²."),
    ),
    (
        "¿Cuál es la fianza del piso Calle Mayor?",
        ("Contrato Calle Mayor.pdf", "Contrato del piso Calle Mayor\n\nLa fianza es de 1.200 euros."),
        ("Correo Calle Mayor.eml", "Correo sobre el piso Calle Mayor\n\nHemos recibido una fianza de 1.400 euros."),
    ),
    (
        "¿Cuántos alumnos tiene la escuela Cervantes?",
        ("Informe Cervantes.pdf", "Informe de la escuela Cervantes\n\nLa escuela tiene 380 alumnos."),
        ("Folleto Cervantes.pdf", "Folleto de la escuela Cervantes\n\nEn la escuela estudian 412 alumnos."),
    ),
    (
        "¿Quién es el director del museo Goya?",
        ("Memoria Goya.pdf", "Memoria del museo Goya\n\nEl director es Luis Ferrer."),
        ("Carta Goya.docx", "Carta del museo Goya\n\nLa directora es Ana Castaño."),
    ),
    (
        "¿Cuál es el plazo de preaviso del contrato Solaris?",
        ("Solaris.pdf", "Contrato Solaris\n\nEl plazo de preaviso es de 60 días."),
        ("Anexo Solaris.pdf", "Anexo al contrato Solaris\n\nEl preaviso es de tres meses."),
    ),
    (
        "¿Cuántas habitaciones tiene el hotel Brisa?",
        ("Plano Brisa.pdf", "Plano del hotel Brisa\n\nEl hotel dispone de 64 habitaciones."),
        ("Web Brisa.md", "Web del hotel Brisa\n\nEl hotel tiene 72 habitaciones."),
    ),
    (
        "¿Hasta cuándo se pueden presentar solicitudes de la beca Prado?",
        ("Bases Prado.pdf", "Bases de la beca Prado\n\nLas solicitudes se presentan hasta el 31 de marzo de 2027."),
        ("Anuncio Prado.docx", "Anuncio de la beca Prado\n\nLas solicitudes pueden presentarse hasta el 15 de abril de 2027."),  # noqa: E501 - a text
    ),
    (
        "Qual è il canone del negozio Via Roma?",
        ("Contratto Via Roma.pdf", "Contratto del negozio Via Roma\n\nIl canone mensile è di 1.350 euro."),
        ("Lettera Via Roma.docx", "Lettera sul negozio Via Roma\n\nIl canone mensile ammonta a 1.500 euro."),
    ),
    (
        "Quanti dipendenti ha la ditta Arno?",
        ("Relazione Arno.pdf", "Relazione della ditta Arno\n\nLa ditta ha 130 dipendenti."),
        ("Profilo Arno.pdf", "Profilo della ditta Arno\n\nLa ditta conta 148 dipendenti."),
    ),
    (
        "Chi dirige il cantiere Duomo?",
        ("Piano Duomo.docx", "Piano del cantiere Duomo\n\nIl cantiere è diretto da Paolo Greco."),
        ("Verbale Duomo.docx", "Verbale del cantiere Duomo\n\nIl cantiere è diretto da Lucia Conti."),
    ),
    (
        "Quanto pesa la campana Aurora?",
        ("Scheda Aurora.pdf", "Scheda della campana Aurora\n\nLa campana pesa 780 kg."),
        ("Trasporto Aurora.pdf", "Trasporto della campana Aurora\n\nPeso della campana: 820 kg."),
    ),
    (
        "Quante camere ha l'albergo Fontana?",
        ("Pianta Fontana.pdf", "Pianta dell'albergo Fontana\n\nL'albergo dispone di 38 camere."),
        ("Sito Fontana.md", "Sito dell'albergo Fontana\n\nL'albergo ha 42 camere."),
    ),
    (
        "Entro quando si presentano le domande del bando Leonardo?",
        ("Bando Leonardo.pdf", "Bando Leonardo\n\nLe domande vanno presentate entro il 30 aprile 2027."),
        ("Avviso Leonardo.docx", "Avviso bando Leonardo\n\nLe domande si presentano entro il 15 maggio 2027."),
    ),
    (
        "How tall is the Ashdown mast?",
        ("Ashdown survey.pdf", "Survey of the Ashdown mast\n\nThe mast is 42 m tall."),
        ("Ashdown permit.pdf", "Permit for the Ashdown mast\n\nThe mast has a height of 45 metres."),
    ),
    (
        "When was the Calder bridge inspected?",
        ("Calder log.docx", "Calder bridge log\n\nThe bridge was inspected on 2 June 2026."),
        ("Calder report.pdf", "Calder bridge report\n\nInspection of the bridge took place on 9 June 2026."),
    ),
    (
        "Who is the treasurer of the Linden choir?",
        ("Linden minutes.docx", "Minutes of the Linden choir\n\nThe treasurer is Mrs Joan Abbott."),
        ("Linden letter.docx", "Letter from the Linden choir\n\nOur treasurer Mr Peter Crane will collect the fees."),
    ),
    (
        "How long must invoices of Delmar be kept?",
        ("Delmar policy.pdf", "Delmar policy\n\nInvoices are kept for seven years."),
        ("Delmar guide.docx", "Delmar guide\n\nKeep invoices for 10 years."),
    ),
    (
        "Wie viele Kinder besuchen die Schule am Anger?",
        ("Bericht Anger.pdf", "Bericht Schule am Anger\n\nDie Schule besuchen 310 Kinder."),
        ("Flyer Anger.pdf", "Flyer Schule am Anger\n\nAn unserer Schule lernen 335 Kinder."),
    ),
    (
        "Wie hoch ist der Zinssatz beim Darlehen Kroll?",
        ("Darlehen Kroll.pdf", "Darlehensvertrag Kroll\n\nDas Darlehen wird mit 4,1 % verzinst."),
        ("Notiz Kroll.docx", "Notiz Darlehen Kroll\n\nDer Zinssatz liegt bei 4,6 %."),
    ),
    (
        "Wie viel Wasser fasst der Tank Typhon?",
        ("Datenblatt Typhon.pdf", "Datenblatt Tank Typhon\n\nDer Tank fasst 1.200 Liter Wasser."),
        ("Angebot Typhon.pdf", "Angebot Tank Typhon\n\nDas Fassungsvermögen des Tanks beträgt 1.500 Liter."),
    ),
    (
        "Combien de visiteurs le château Aubrac a-t-il accueillis en 2025 ?",
        ("Bilan Aubrac.pdf", "Bilan du château Aubrac\n\nEn 2025, le château a accueilli 54 000 visiteurs."),
        ("Presse Aubrac.pdf", "Presse du château Aubrac\n\nLe château a reçu 58 500 visiteurs en 2025."),
    ),
    (
        "À quelle date expire la licence Pégase ?",
        ("Licence Pégase.pdf", "Licence Pégase\n\nLa licence expire le 30 novembre 2026."),
        ("Courriel Pégase.eml", "Courriel licence Pégase\n\nLa licence arrive à expiration le 31 décembre 2026."),
    ),
    (
        "¿Cuántos socios tiene la cooperativa Encina?",
        ("Memoria Encina.pdf", "Memoria de la cooperativa Encina\n\nLa cooperativa tiene 215 socios."),
        ("Boletín Encina.pdf", "Boletín de la cooperativa Encina\n\nSomos ya 240 socios en la cooperativa."),
    ),
    (
        "¿Qué potencia tiene el motor Centauro?",
        ("Ficha Centauro.pdf", "Ficha del motor Centauro\n\nLa potencia es de 75 kW."),
        ("Manual Centauro.pdf", "Manual del motor Centauro\n\nEl motor tiene una potencia de 90 kW."),
    ),
    (
        "Quanti soci ha il circolo Libeccio?",
        ("Verbale Libeccio.docx", "Verbale del circolo Libeccio\n\nIl circolo ha 184 soci."),
        ("Opuscolo Libeccio.pdf", "Opuscolo del circolo Libeccio\n\nAl circolo sono iscritti 201 soci."),
    ),
    (
        "Quanto è lungo il sentiero Fiorita?",
        ("Guida Fiorita.pdf", "Guida del sentiero Fiorita\n\nIl sentiero è lungo 7,5 km."),
        ("Cartello Fiorita.pdf", "Cartello del sentiero Fiorita\n\nLunghezza del sentiero: 8,3 km."),
    ),
]  # fmt: skip
OTHERS: list[tuple[str, Statement, Statement]] = [
    (
        "What is the monthly fee of the Larkspur cleaning contract?",
        ("Larkspur contract.pdf", "Cleaning contract Larkspur House\n\nThe monthly fee amounts to £1,240."),
        ("Larkspur garden.docx", "Garden contract Larkspur House\n\nThe monthly fee for the garden is £310."),
    ),
    (
        "What is the interest rate of the Pinecrest loan?",
        ("Pinecrest loan.pdf", "Pinecrest loan agreement\n\nThe interest rate is 3.9% per annum."),
        ("Pinecrest summary.docx", "Pinecrest loan summary\n\nDefault interest is 9% per annum."),
    ),
    (
        "What is the maximum load of the Kestrel crane?",
        ("Kestrel manual.pdf", "Kestrel crane manual\n\nThe maximum load is 3.2 t."),
        ("Kestrel sheet.pdf", "Kestrel crane data sheet\n\nThe maximum load is 3,200 kg."),
    ),
    (
        "How many seats has the Rose room?",
        ("Rooms.pdf", "Rooms of the house\n\nThe Rose room has 24 seats."),
        ("Rooms 2.pdf", "Rooms of the house\n\nThe Lily room has 36 seats."),
    ),
    (
        "Wie hoch ist die Miete der Halle Süd?",
        ("Mietvertrag Halle Süd.pdf", "Mietvertrag Halle Süd\n\nDie Miete beträgt 3.450 Euro."),
        ("Nebenkosten Halle Süd.docx", "Nebenkosten Halle Süd\n\nDie Nebenkosten betragen 450 Euro."),
    ),
    (
        "Wie lange ist die Garantie der Pumpe Hydra?",
        ("Handbuch Hydra.pdf", "Handbuch Pumpe Hydra\n\nDie Garantie gilt 24 Monate."),
        ("Angebot Hydra.pdf", "Angebot Pumpe Hydra\n\nWir geben eine Garantie von zwei Jahren."),
    ),
    (
        "Wie viele Plätze hat die Kita Sonnenhügel?",
        ("Konzept Sonnenhügel.pdf", "Konzept Kita Sonnenhügel\n\nDie Kita hat 75 Plätze."),
        ("Antrag Sonnenhügel.docx", "Antrag Kita Sonnenhügel\n\nDie Kita beantragt 15 weitere Plätze."),
    ),
    (
        "Quand commence le festival Lumière ?",
        ("Programme Lumière.pdf", "Programme du festival Lumière\n\nLe festival commence le 3 juillet 2027."),
        ("Affiche Lumière.pdf", "Affiche du festival Lumière\n\nLe festival finit le 10 juillet 2027."),
    ),
    (
        "Quelle est la durée de la garantie du four Vulcain ?",
        ("Notice Vulcain.pdf", "Notice du four Vulcain\n\nLa garantie dure deux ans."),
        ("Devis Vulcain.pdf", "Devis du four Vulcain\n\nLa garantie est de 24 mois."),
    ),
    (
        "¿Cuándo termina la obra Alameda?",
        ("Plan Alameda.docx", "Plan de la obra Alameda\n\nLa obra termina el 15 de mayo de 2027."),
        ("Acta Alameda.docx", "Acta de la obra Alameda\n\nLa obra empezó el 3 de febrero de 2026."),
    ),
    (
        "Qual è il canone del negozio Via Roma?",
        ("Contratto Via Roma.pdf", "Contratto del negozio Via Roma\n\nIl canone mensile è di 1.350 euro."),
        ("Lettera Via Roma.docx", "Lettera sul negozio Via Roma\n\nLa cauzione è di 2.700 euro."),
    ),
    (
        "Quanti dipendenti ha la ditta Arno?",
        ("Relazione Arno.pdf", "Relazione della ditta Arno\n\nLa ditta ha 130 dipendenti."),
        ("Profilo Arno.pdf", "Profilo della ditta Arno\n\nNel 2019 la ditta aveva 90 dipendenti."),
    ),
    (
        "How tall is the Ashdown mast?",
        ("Ashdown survey.pdf", "Survey of the Ashdown mast\n\nThe mast is 42 m tall."),
        ("Ashdown permit.pdf", "Permit for the Ashdown mast\n\nThe fence around the mast is 2 m high."),
    ),
    (
        "When was the Calder bridge inspected?",
        ("Calder log.docx", "Calder bridge log\n\nThe bridge was inspected on 2 June 2026."),
        ("Calder report.pdf", "Calder bridge report\n\nThe bridge was painted on 9 September 2026."),
    ),
    (
        "What is the late fee in the Corbett lease?",
        ("Corbett lease.pdf", "Corbett lease\n\nA late fee of 5% is charged."),
        ("Corbett amendment.pdf", "Amendment to the Corbett lease\n\nThe rent is raised by 7%."),
    ),
    (
        "What is the deposit for the Elm hall?",
        ("Elm hall terms.pdf", "Elm hall terms\n\nThe deposit is £200."),
        ("Elm hall mail.eml", "Elm hall mail\n\nYou have paid £200.00 as a deposit."),
    ),
    (
        "Wie hoch ist das Honorar von Studio Quell?",
        ("Vertrag Studio Quell.pdf", "Vertrag Studio Quell\n\nDas Honorar beträgt 8.400 Euro."),
        ("Angebot Studio Quell.pdf", "Angebot Studio Quell\n\nDie Reisekosten betragen 620 Euro."),
    ),
    (
        "Wie lang ist die Strecke des Laufs Silbersee?",
        ("Ausschreibung Silbersee.pdf", "Ausschreibung Lauf Silbersee\n\nDie Strecke ist 12,5 km lang."),
        ("Karte Silbersee.pdf", "Karte Lauf Silbersee\n\nDie Anfahrt vom Bahnhof ist 4 km lang."),
    ),
    (
        "Wann wird die Heizung im Haus Buche gewartet?",
        ("Wartungsplan Buche.pdf", "Wartungsplan Haus Buche\n\nDie Heizung wird am 4. Mai 2027 gewartet."),
        ("Aushang Buche.pdf", "Aushang Haus Buche\n\nDer Aufzug wird am 11. Mai 2027 gewartet."),
    ),
    (
        "Quel est le salaire du comptable chez Novalis ?",
        ("Annonce Novalis.pdf", "Annonce comptable Novalis\n\nLe salaire annuel est de 38 000 euros."),
        ("Contrat Novalis.pdf", "Contrat comptable Novalis\n\nLa prime annuelle est de 2 000 euros."),
    ),
    (
        "À quelle date expire la licence Pégase ?",
        ("Licence Pégase.pdf", "Licence Pégase\n\nLa licence expire le 30 novembre 2026."),
        ("Courriel Pégase.eml", "Courriel licence Pégase\n\nLa licence a été achetée le 1 décembre 2023."),
    ),
    (
        "¿Cuánto cuesta la entrada al parque Tajo?",
        ("Tarifas Tajo.pdf", "Tarifas del parque Tajo\n\nLa entrada cuesta 14 euros."),
        ("Cartel Tajo.pdf", "Cartel del parque Tajo\n\nEl aparcamiento cuesta 5 euros."),
    ),
    (
        "¿Cuándo se entrega el pedido Zafiro?",
        ("Pedido Zafiro.pdf", "Pedido Zafiro\n\nLa entrega será el 8 de enero de 2027."),
        ("Correo Zafiro.eml", "Correo sobre el pedido Zafiro\n\nEl pago del pedido vence el 22 de enero de 2027."),
    ),
    (
        "Quando scade il contratto Stella?",
        ("Contratto Stella.pdf", "Contratto Stella\n\nIl contratto scade il 31 dicembre 2027."),
        ("Lettera Stella.docx", "Lettera contratto Stella\n\nIl contratto è stato firmato il 12 gennaio 2024."),
    ),
]  # fmt: skip


def _shown(question: str, first: Statement, second: Statement) -> bool:
    """Whether an answer that quotes the last sentence of the first file shows a conflict with the second."""
    days = ("2026-05-03T09:00:00Z", "2026-09-09T09:00:00Z")
    files = [
        File(name, name, f"https://drive.example/{name}", day, [Passage("page 1", text)], whole=True)
        for (name, text), day in zip((first, second), days, strict=True)
    ]
    quote = first[1].rpartition("\n")[2]
    return bool(conflicts.found(question, ["As the file says."], [(first[0], quote)], files))


def test_nine_of_ten_planted_conflicts_are_shown() -> None:
    missed = [question for question, *files in PLANTED if not _shown(question, *files)]
    assert len(missed) * 10 <= len(PLANTED), missed


def test_at_most_one_of_twenty_other_pairs_is_shown() -> None:
    shown = [question for question, *files in OTHERS if _shown(question, *files)]
    assert len(shown) * 20 <= len(OTHERS) + 1, shown


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        (
            "How many parking spaces come with the Hollis Yard lease?",
            ("Lease.pdf", "Lease Hollis Yard\n\nThe lease includes 14 parking spaces behind the building."),
            ("Notes.md", "Hollis Yard: notes\n\nTwenty-two parking spaces belong to the lease."),
        ),
        (
            "Wie lange gilt die Garantie der Pumpe Rühl 40?",
            ("Angebot.pdf", "Angebot Pumpe Rühl 40\n\nDie Garantie auf die Rühl 40 beträgt 24 Monate."),
            ("Datenblatt.pdf", "Datenblatt Pumpe Rühl 40\n\nWir gewähren auf die Pumpe 36 Monate Garantie."),
        ),
        (
            "¿Cuál es el plazo de pago con Talleres Orduña?",
            ("Contrato.pdf", "Contrato con Talleres Orduña\n\nEl plazo de pago es de 45 días."),
            ("Acta.md", "Acta de la reunión con Talleres Orduña\n\nSe acordó pagar las facturas a los 60 días."),
        ),
        (
            "Welches Budget wurde in der Sitzung über Haus Ahrens bewilligt?",
            ("Protokoll.odt", "Protokoll Haus Ahrens\n\nDie Runde bewilligte ein Budget von 21.500 EUR."),
            ("Ahrens.eml", "Protokoll Haus Ahrens\n\nEin Budget von 24.500 EUR wurde ohne Gegenstimme freigegeben."),
        ),
        (
            "¿Qué presupuesto se aprobó en la reunión sobre Vidrios Lerma?",
            ("Acta.txt", "Acta Vidrios Lerma\n\nLa reunión aprobó un presupuesto de 44.000 EUR para el proyecto."),
            ("Copia.html", "Acta Vidrios Lerma\n\nSe concedió sin oposición un presupuesto de 145.000 EUR."),
        ),
        (
            "Pour quand le projet avec Verreries Lodève doit-il être achevé ?",
            ("Projet.docx", "Compte rendu Verreries Lodève\n\nLe projet doit être achevé avant le 14 juin 2027."),
            ("Lodève.png", "Compte rendu Verreries Lodève\n\nTout doit être terminé le 5 mai 2027 au plus tard."),
        ),
        (
            "Quando scade la fattura di Vetri Lodi?",
            ("Fattura.html", "Fattura Vetri Lodi\n\nSi prega di pagare entro il 25 febbraio 2024 senza trattenute."),
            ("Copia.pdf", "Fattura Vetri Lodi\n\nIl pagamento scade il 20 aprile 2024."),
        ),
    ],
)
def test_the_same_fact_in_other_words_is_a_conflict(question: str, first: Statement, second: Statement) -> None:
    """Numbers in words, a model that both papers are about, groups of words, and how something was decided. 000-22."""
    assert _shown(question, first, second)


def test_amounts_with_and_without_taxes_are_no_statement_of_one_thing() -> None:
    """000-22."""
    offer = (
        "Offerta.docx",
        "Offerta Vetri Lodi\n\nChiediamo 585,25 EUR al netto delle imposte per unità, consegna compresa.",
    )
    invoice = ("Fattura.html", "Fattura Vetri Lodi\n\nImporto da pagare: 9.808,20 EUR imposte comprese.")
    assert not _shown("Quale prezzo unitario indica l'offerta di Vetri Lodi?", offer, invoice)


def test_a_word_of_a_group_is_still_compared_by_its_stem() -> None:
    first = ("Pine Depot.html", "Angebot Pine Depot\n\nDie Lieferzeit beträgt 16 Wochen ab Ihrer Bestellung.")
    second = ("Angebot 9700019.docx", "Angebot Pine Depot\n\nWir liefern binnen 18 Wochen nach Eingang der Bestellung.")
    assert _shown("Welche Lieferzeit in Wochen verspricht Pine Depot im Angebot?", first, second)


@pytest.mark.parametrize("year", ["2025", "2024"])
def test_a_year_before_a_comma_is_one(year: str) -> None:
    first = ("Bilan.pdf", "Bilan du château Aubrac\n\nEn 2025, le château a accueilli 54 000 visiteurs.")
    second = ("Presse.pdf", f"Presse du château Aubrac\n\nEn {year}, le château a reçu 58 500 visiteurs.")
    assert _shown("Combien de visiteurs le château Aubrac a-t-il accueillis en 2025 ?", first, second) is (
        year == "2025"
    )
