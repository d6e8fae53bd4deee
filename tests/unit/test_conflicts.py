"""Current sources that disagree are shown, and what only looks like a conflict is not."""

from typing import Any

import pytest

from leaf.citations import conflicts, redaction
from leaf.citations.compared_files import File
from leaf.citations.conflicts import CONFLICTS
from leaf.citations.quote_search import Passage

MAY, SEPTEMBER = "2026-05-03T09:00:00Z", "2026-09-09T09:00:00Z"


def _file(name: str, text: str, modified: str = MAY) -> File:
    return File(name, name, f"https://drive.example/{name}", modified, [Passage("page 1", text)], whole=True)


def _found(question: str, first: tuple[str, str], second: tuple[str, str], quote: str = "") -> list[dict[str, Any]]:
    """The conflicts of an answer that quotes the last sentence of the first file."""
    files = [_file(*first), _file(*second, SEPTEMBER)]
    quoted = quote or first[1].strip().rpartition("\n")[2]
    return conflicts.found(question, ["As the file says."], [(first[0], quoted)], files)


LEASE = "Lease of the Aldermere cold store\n\n"
CHANGE = "Amendment to the lease of the Aldermere cold store\n\n"
FOODS = "Report Finch Foods\n\n"
PLANTED = {
    "another rent": (
        "What is the rent from 2027?",
        ("Lease.pdf", LEASE + "Rent from 2027 is €12,000."),
        ("Amendment.docx", CHANGE + "From 2027 on the rent is €13,500."),
    ),
    "another day": (
        "Bis wann ist die Rechnung der Firma Halden Fracht zu zahlen?",
        ("Rechnung.pdf", "Rechnung Halden Fracht\n\nDie Zahlung ist am 3. Mai 2026 fällig."),
        ("Rechnung neu.pdf", "Rechnung Halden Fracht\n\nDie Zahlung ist am 17. Mai 2026 fällig."),
    ),
    "weeks and days": (
        "How long is the notice period with Pomona Packaging?",
        ("Contract.md", "Contract Pomona Packaging\n\nThe notice period is 30 days."),
        ("Contract (signed).md", "Contract Pomona Packaging\n\nThe notice period is 8 weeks."),
    ),
    "another paper about a name of one word": (
        "Wie hoch ist die Kaution?",
        ("Mietvertrag Ahornhof.pdf", "Mietvertrag Ahornhof\n\nDie Kaution beträgt 1.800 Euro."),
        ("Mail Ahornhof.docx", "Mail Ahornhof\n\nSie haben eine Kaution von 2.400 Euro bezahlt."),
    ),
    "another form of a word": (
        "When does phase 2 end?",
        ("Plan.pdf", "Plan Maple House\n\nPhase 2 ends on 3 August 2026."),
        ("Mail.docx", "Mail Maple House\n\nPhase 2 will end on 17 August 2026."),
    ),
    "a line of a form": (
        "Combien coûte le billet adulte ?",
        ("Tarifs.pdf", "Tarifs Maison Érable\n\nLe billet adulte coûte 12 euros."),
        ("Affiche.docx", "Affiche Maison Érable\n\nBillet adulte : 14 euros."),
    ),
    "grams": (
        "Wie viel Zucker kommt in den Teig?",
        ("Rezept Apfelkuchen.pdf", "Rezept Apfelkuchen\n\nIn den Teig kommen 150 g Zucker."),
        ("Rezept Apfelkuchen Oma.pdf", "Rezept Apfelkuchen Oma\n\nIn den Teig kommen 200 g Zucker."),
    ),
    "a percentage": (
        "Quelle pénalité prévoit le contrat avec Pomona Packaging ?",
        ("Contrat.odt", "Contrat Pomona Packaging\n\nUn retard coûte 2,5 pour cent de la commande."),
        ("Contrat 2.odt", "Contrat Pomona Packaging\n\nUn retard coûte 4 pour cent de la commande."),
    ),
    "kilowatt-hours": (
        "Wie viel Strom erzeugt die Anlage?",
        ("Bericht Birkenhof.pdf", "Bericht Birkenhof\n\nDie Anlage erzeugt 9.800 kWh Strom."),
        ("Vortrag Birkenhof.pdf", "Vortrag Birkenhof\n\nUnsere Anlage erzeugt 11.200 kWh Strom."),
    ),
    "house rules and a notice": (
        "Wie lange dürfen Fahrräder im Hof stehen?",
        ("Hausordnung Birkenhof.pdf", "Hausordnung Birkenhof\n\nFahrräder dürfen 14 Tage im Hof stehen."),
        ("Aushang Birkenhof.pdf", "Aushang Birkenhof\n\nFahrräder im Hof werden nach 7 Tagen entfernt."),
    ),
    "words of the titles that the question has": (
        "How long is the warranty?",
        ("Warranty Maple House.pdf", "Warranty Maple House\n\nThe warranty is 24 months."),
        ("Brochure Maple House.pdf", "Brochure Maple House\n\nYou have a warranty of 36 months."),
    ),
    "a count": (
        "How many findings did the audit at Pomona Packaging record?",
        ("Audit.pdf", "Audit Pomona Packaging\n\nThe auditors recorded 12 findings, none of them critical."),
        ("Audit report.pdf", "Audit report Pomona Packaging\n\nThe auditors recorded 9 findings."),
    ),
    "other kinds of papers about the same": (
        "How much does the insurance cover?",
        ("Policy.pdf", "Insurance policy Harbour Freight\n\nThe insurance covers damages up to EUR 2 million."),
        ("Letter.pdf", "Letter: insurance policy Harbour Freight\n\nThe insurance covers damages up to EUR 3 million."),
    ),
    "a permit and a plan": (
        "How many parking spaces are there?",
        ("Plan.pdf", "Site plan Corin Retail Park\n\nThere are 240 parking spaces."),
        ("Permit.pdf", "Building permit Corin Retail Park\n\nThe park provides 215 parking spaces."),
    ),
    "an amount behind a year": (
        "What was the turnover in 2025?",
        ("Report.pdf", "Annual report Finch Foods\n\nTurnover in 2025 was EUR 8.4 million."),
        ("Talk.pptx", "Annual report Finch Foods: talk\n\nIn 2025 turnover was EUR 9.1 million."),
    ),
    "millions in short": (
        "Wie hoch war der Umsatz 2025?",
        ("Bericht.pdf", "Geschäftsbericht Finke Feinkost\n\nDer Umsatz 2025 betrug 8,4 Mio. EUR."),
        ("Vortrag.pptx", "Geschäftsbericht Finke Feinkost\n\nDer Umsatz 2025 lag bei 9,1 Mio. EUR."),
    ),
    "a name at the end of a title": (
        "How many seats does the hall have?",
        ("Hall.pdf", "Town hall Elmbridge\n\nThe hall has 450 seats."),
        ("Flyer.pdf", "Town hall Elmbridge\n\nThere are 380 seats in the hall."),
    ),
    "a number in words": (
        "Welche Frist gilt beim Vertrag mit Nordlicht Energie?",
        ("Vertrag.pdf", "Vertrag Nordlicht Energie\n\nDie Kündigungsfrist beträgt drei Monate."),
        ("Nachtrag.pdf", "Nachtrag Vertrag Nordlicht Energie\n\nDie Kündigungsfrist beträgt 6 Monate."),
    ),
    "a number in words and digits": (
        "How long is the payment term in the Helix lease?",
        ("Helix lease.pdf", "Helix lease\n\nPayment is due within thirty (30) days."),
        ("Helix amendment.pdf", "Helix lease amendment\n\nPayment is due within forty-five (45) days."),
    ),
    "a count in words": (
        "How many chairs are in the Oak Room?",
        ("Inventory Oak Room.docx", "Inventory Oak Room\n\nThe room has twenty-four chairs."),
        ("Plan Oak Room.docx", "Plan Oak Room\n\nThe room has 30 chairs."),
    ),
    "another person": (
        "Who leads the Harbour Bridge project?",
        ("Kick-off.docx", "Kick-off Harbour Bridge\n\nThe project is led by Miriam Castell."),
        ("Status.docx", "Status Harbour Bridge\n\nThe project is led by Jonas Weidmann."),
    ),
    "another person of a role": (
        "Wer ist Kassenwart im TSV Ahorn?",
        ("Satzung TSV Ahorn.pdf", "TSV Ahorn\n\nKassenwart ist Herr Dietz."),
        ("Protokoll TSV Ahorn.pdf", "TSV Ahorn Protokoll\n\nKassenwartin ist Frau Ilse Naumann."),
    ),
    "below zero": (
        "Bei welcher Temperatur wird der Impfstoff Varol gelagert?",
        ("Varol.pdf", "Impfstoff Varol\n\nDer Impfstoff wird bei 5 °C gelagert."),
        ("Varol Hinweis.pdf", "Impfstoff Varol Hinweis\n\nDer Impfstoff wird bei -18 °C gelagert."),
    ),
    "a person of a plan": (
        "Wer ist Projektleiter beim Umbau Seehof?",
        ("Projektplan Seehof.docx", "Projektplan Seehof\n\nProjektleiter ist Martin Kessler."),
        ("Protokoll Seehof.docx", "Protokoll Seehof\n\nDie Projektleitung hat Frau Judith Brandt."),
    ),
    "another verb of what may be": (
        "How many guests may the Riverside Hall hold?",
        ("Permit Riverside Hall.pdf", "Permit Riverside Hall\n\nThe hall may hold 180 guests."),
        ("Flyer Riverside Hall.pdf", "Flyer Riverside Hall\n\nThe hall can hold up to 240 guests."),
    ),
    "people in the first lines": (
        "Who is the treasurer of the club?",
        ("Minutes club.docx", "Minutes club\n\nTreasurer is Mr Adam Lowe."),
        ("Website club.md", "Website club\n\nTreasurer: Nora Finch."),
    ),
    "a role in French": (
        "Qui est le directeur du musée ?",
        ("Rapport musée.docx", "Rapport musée\n\nLe directeur est Paul Renard."),
        ("Lettre musée.docx", "Lettre musée\n\nLa directrice est Anne Villiers."),
    ),
    "a paper's name before one word": (
        "How many employees does Brightwater have?",
        ("Profile Brightwater.pdf", "Profile Brightwater\n\nBrightwater has 320 employees."),
        ("Deck Brightwater.pptx", "Deck Brightwater\n\nBrightwater employs 410 employees."),
    ),
    "papers of a house": (
        "Wie groß ist das Grundstück Lindenweg?",
        ("Kaufvertrag Lindenweg.pdf", "Kaufvertrag Lindenweg\n\nDas Grundstück ist 640 m² groß."),
        ("Exposé Lindenweg.pdf", "Exposé Lindenweg\n\nDas Grundstück hat 710 Quadratmeter."),
    ),
    "a title before a name": (
        "Wer ist die behandelnde Ärztin oder der Arzt?",
        ("Befund Keller.pdf", "Befund Keller\n\nBehandelnder Arzt ist Dr. Simon Weiss."),
        ("Brief Keller.pdf", "Brief Keller\n\nBehandelnde Ärztin ist Dr. Carla Stern."),
    ),
    "a number in a name": (
        "Wann ist die Rechnung der Firma Halden Fracht fällig?",
        ("Rechnung 8300071.pdf", "Rechnung Halden Fracht\n\nBitte zahlen Sie bis zum 6. März 2026."),
        ("Rechnung Halden Fracht.png", "[picture 1]\nRechnung Halden Fracht\n\nZahlen Sie bis zum 26. Juni 2026."),
    ),
}  # fmt: skip
OTHERS = {
    "the same in words": (
        "What is the notice period of the Bluebell contract?",
        ("Bluebell contract.pdf", "Bluebell contract\n\nThe notice period is three months."),
        ("Bluebell summary.docx", "Bluebell contract summary\n\nThe notice period is 3 months."),
    ),
    "counted in small words": (
        "What is the term of the Nova agreement?",
        ("Nova agreement.pdf", "Nova agreement\n\nThe two parties agree on a term."),
        ("Nova agreement copy.pdf", "Nova agreement copy\n\nThe 3 parties agree on a term."),
    ),
    "an estimate": (
        "What did the roof of Mill House cost?",
        ("Estimate.pdf", "Mill House estimate\n\nWe estimate the cost of the roof at €48,000."),
        ("Final account.pdf", "Mill House final account\n\nThe roof cost €53,200."),
    ),
    "spent so far": (
        "What is the budget of the Fern Trail?",
        ("Fern Trail plan.docx", "Fern Trail plan\n\nThe budget is €80,000."),
        ("Fern Trail report.docx", "Fern Trail report\n\nSo far €31,000 of the budget have been used."),
    ),
    "the same person": (
        "Who leads the Marina project?",
        ("Marina.docx", "Marina project\n\nThe project is led by Ada Krol."),
        ("Marina note.docx", "Marina project note\n\nThe project is led by Dr. Krol."),
    ),
    "persons of two roles": (
        "Who leads the Marina project?",
        ("Marina.docx", "Marina project\n\nThe project is led by Ada Krol."),
        ("Marina note.docx", "Marina project note\n\nThe contact for the project is Ben Hoover."),
    ),
    "a deputy": (
        "Wer leitet die Kita Sonnentor?",
        ("Kita Sonnentor.docx", "Kita Sonnentor\n\nDie Leitung hat Frau Anna Specht."),
        ("Kita Aushang.docx", "Kita Sonnentor Aushang\n\nDie stellvertretende Leitung hat Frau Eva Lenz."),
    ),
    "several persons": (
        "Who is responsible for the Delta audit?",
        ("Delta audit.docx", "Delta audit\n\nResponsible for the audit is Mia Song."),
        ("Delta audit plan.docx", "Delta audit plan\n\nResponsible for the audit are Kim Lund and Mia Song."),
    ),
    "the only amounts of two papers": (
        "Quel est le loyer ?",
        ("Contrat.pdf", "Contrat Maison Érable\n\nLe loyer est de 900 euros."),
        ("Contrat 2.pdf", "Contrat Maison Érable\n\nLes charges sont de 120 euros."),
    ),
    "the year before": (
        "How many pupils are there?",
        ("Report Birch School.pdf", "Report Birch School\n\nThe school has 412 pupils."),
        ("Newsletter Birch School.pdf", "Newsletter Birch School\n\nLast year 396 pupils sat the exam."),
    ),
    "contracts about two things": (
        "Wie hoch ist der Abschlag?",
        ("Vertrag Ahornhof Strom.pdf", "Vertrag Ahornhof Strom\n\nDer Abschlag beträgt 120 Euro."),
        ("Vertrag Ahornhof Gas.pdf", "Vertrag Ahornhof Gas\n\nDer Abschlag beträgt 95 Euro."),
    ),
    "reports of two months": (
        "What was the turnover?",
        ("Report Maple House March.pdf", "Report Maple House March\n\nTurnover was 120,000 euros."),
        ("Report Maple House April.pdf", "Report Maple House April\n\nTurnover was 150,000 euros."),
    ),
    "with and without": (
        "What weight?",
        ("Spec.pdf", "Spec Maple House\n\nWithout the battery it weighs 24 kg."),
        ("Spec 2.pdf", "Spec Maple House\n\nWith the battery it weighs 29 kg."),
    ),
    "planned and spent": (
        "What is planned?",
        ("Budget.pdf", "Budget Maple House\n\nWe planned 20,000 euros for repairs."),
        ("Budget copy.pdf", "Budget Maple House\n\nWe spent 18,500 euros on repairs."),
    ),
    "two days of a mail": (
        "Wann?",
        ("Mail.pdf", "Mail Ahornhof\n\nDie Lieferung kommt am 3. Mai 2026."),
        ("Mail 2.pdf", "Mail Ahornhof\n\nDie Rechnung ist am 17. Mai 2026 fällig."),
    ),
    "the same amount": (
        "What is the rent?",
        ("Lease.pdf", LEASE + "The rent is €12,000."),
        ("Copy of lease.pdf", LEASE + "The rent is EUR 12,000.00."),
    ),
    "the same time in another unit": (
        "How long is the notice period?",
        ("Contract.md", "Contract Pomona Packaging\n\nThe notice period is 12 months."),
        ("Contract b.md", "Contract Pomona Packaging\n\nThe notice period is one year, that is 365 days."),
    ),
    "the same area in another unit": (
        "How large is the orchard?",
        ("Lease.pdf", LEASE + "The leased area is 20,000 m²."),
        ("Map.pdf", LEASE + "The leased area is 2 ha."),
    ),
    "millions": (
        "What is the revenue?",
        ("Plan.docx", "Plan Northwind Orchard\n\nThe revenue is 7.06 million EUR."),
        ("Plan b.docx", "Plan Northwind Orchard\n\nThe revenue is EUR 7,060,000."),
    ),
    "a rounded amount": (
        "What is the revenue?",
        ("Plan.docx", "Plan Northwind Orchard\n\nThe revenue is EUR 7,058,312."),
        ("Talk.pptx", "Plan Northwind Orchard\n\nThe revenue is about EUR 7 million."),
    ),
    "another year": (
        "What is the rent?",
        ("Lease.pdf", LEASE + "The rent in 2026 is €12,000."),
        ("Amendment.docx", CHANGE + "The rent in 2027 is €13,500."),
    ),
    "files of two years": (
        "What is the budget for packaging?",
        ("Budget 2025.md", "Budget Northwind Orchard\n\nThe budget for packaging is EUR 40,000."),
        ("Budget 2026.md", "Budget Northwind Orchard\n\nThe budget for packaging is EUR 52,000."),
    ),
    "another subject": (
        "What is the notice period with Pomona Packaging?",
        ("Contract Pomona.md", "Contract Pomona Packaging\n\nThe notice period is 30 days."),
        ("Contract Halden.md", "Contract Halden Haulage\n\nThe notice period is 60 days."),
    ),
    "another hall": (
        "What is the rent?",
        ("Lease.pdf", LEASE + "The rent of hall 1 is €12,000."),
        ("Amendment.docx", CHANGE + "The rent of hall 2 is €13,500."),
    ),
    "another town": (
        "What does the office cost?",
        ("Costs.md", "Costs of offices\n\nThe office in Berlin costs EUR 300."),
        ("Costs b.md", "Costs of offices\n\nThe office in Hamburg costs EUR 400."),
    ),
    "a month and a year": (
        "What is the rent?",
        ("Lease.pdf", LEASE + "The monthly rent is €1,000."),
        ("Note.docx", LEASE + "The rent per year is €12,000."),
    ),
    "an earlier version": (
        "What is the rent?",
        ("Lease v2.pdf", LEASE + "The rent is €13,500."),
        ("Lease v1.pdf", LEASE + "The rent is €12,000."),
    ),
    "a draft": (
        "What is the rent?",
        ("Lease.pdf", LEASE + "The rent is €13,500."),
        ("Lease draft.pdf", LEASE + "The rent is €12,000."),
    ),
    "a range": (
        "What does the tray cost?",
        ("Offer.pdf", "Offer Pomona Packaging\n\nA tray costs EUR 3.50."),
        ("Offer b.pdf", "Offer Pomona Packaging\n\nA tray costs between EUR 3 and EUR 4."),
    ),
    "a part of a total": (
        "What did the project cost?",
        ("Report.pdf", "Report Northwind Orchard\n\nThe project cost EUR 50,000."),
        ("Report b.pdf", "Report Northwind Orchard\n\nThe project was expensive, of which EUR 20,000 for packaging."),
    ),
    "a total of other papers": (
        "What does the packaging cost?",
        ("Invoice.pdf", "Invoice Pomona Packaging\n\nThe packaging costs EUR 2,000."),
        ("Overview.pdf", "Overview of invoices of Pomona Packaging\n\nThe total of packaging costs is EUR 50,000."),
    ),
    "another currency": (
        "What is the price?",
        ("Offer.pdf", "Offer Pomona Packaging\n\nThe price is EUR 350."),
        ("Offer b.pdf", "Offer Pomona Packaging\n\nThe price is USD 380."),
    ),
    **{
        f"{a} and {b}": (
            "How much is it?",
            ("A.md", FOODS + sentence.format(a, 20)),
            ("B.md", FOODS + sentence.format(b, 45)),
        )
        for sentence, a, b in (
            ("The {} price is EUR {}.", "net", "gross"), ("The price {} VAT is EUR {}.", "without", "including"),
            ("Le prix {} est de {} €.", "HT", "TTC"), ("El precio {} IVA es de {} €.", "sin", "con"),
            ("The {} temperature is {} °C.", "minimum", "maximum"), ("The {} profit is EUR {}.", "planned", "actual"),
            ("The profit in the {} quarter was EUR {}.", "first", "second"), ("{} pay EUR {}.", "Adults", "Children"),
            ("Der Gewinn im {} betrug {} EUR.", "Januar", "Februar"),
            ("Die {} beträgt {} EUR.", "Kaltmiete", "Warmmiete"),
            ("The contract {} within {} days.", "begins", "ends"),
            ("The notice period for the {} is {} days.", "tenant", "landlord"), ("A {} costs EUR {}.", "drill", "saw"),
            ("La cuota para {} es de {} €.", "socios", "no socios"),
            ("The fee for {} is EUR {}.", "members", "non-members"),
            ("The plant recycled {1} tonnes of {0}.", "paper", "glass"), ("Of the {} {} % agreed.", "women", "men"),
        )
    },
    "two invoices": (
        "What is to be paid?",
        ("A.pdf", "Invoice Kestrel Tools 4711\n\nThe amount due is EUR 1,190."),
        ("B.pdf", "Invoice Kestrel Tools 4712\n\nThe amount due is EUR 880."),
    ),
    "two meetings": (
        "How many were there?",
        ("A.pdf", "Minutes of the board of Oakfield Trust, 3 May\n\nThe board has 7 members present."),
        ("B.pdf", "Minutes of the board of Oakfield Trust, 9 June\n\nThe board has 9 members present."),
    ),
    "two models": (
        "How much water does it move?",
        ("A.pdf", "Data sheet pump P7\n\nThe pump moves 420 litres."),
        ("B.pdf", "Data sheet pump P9\n\nThe pump moves 610 litres."),
    ),
    "the days of the papers themselves": (
        "When was the lease signed?",
        ("Lease.pdf", LEASE + "Date: 3 May 2026"),
        ("Copy of lease.pdf", LEASE + "Date: 6 May 2026"),
    ),
    "a title and a middle initial": (
        "Who is the treasurer of the club?",
        ("Minutes club.docx", "Minutes club\n\nTreasurer is Mr Adam Lowe."),
        ("Website club.md", "Website club\n\nTreasurer: Dr. Adam B. Lowe."),
    ),
    "a part in another place": (
        "How many employees does Brightwater have?",
        ("Profile Brightwater.pdf", "Profile Brightwater\n\nBrightwater has 320 employees."),
        ("Deck Brightwater.pptx", "Deck Brightwater\n\nThe company has 45 employees in Leeds and others elsewhere."),
    ),
    "heads of two departments": (
        "Who is head of sales?",
        ("Chart.pdf", "Organisation chart\n\nHead of sales is Mia Stone."),
        ("Chart 2.pdf", "Organisation chart\n\nHead of logistics is Tom Reed."),
    ),
    "a substitute": (
        "Wer ist Projektleiter beim Umbau Seehof?",
        ("Projektplan Seehof.docx", "Projektplan Seehof\n\nProjektleiter ist Martin Kessler."),
        ("Protokoll Seehof.docx", "Protokoll Seehof\n\nStellvertretende Projektleiterin ist Judith Brandt."),
    ),
    "the same person by the last name": (
        "Qui est le directeur du musée ?",
        ("Rapport musée.docx", "Rapport musée\n\nLe directeur est Paul Renard."),
        ("Lettre musée.docx", "Lettre musée\n\nLe directeur, M. Renard, signe la lettre."),
    ),
    "an amount by which another one changes": (
        "Wie hoch ist das Budget der Messe?",
        ("Protokoll.docx", "Protokoll Ausschuss\n\nDas Budget der Messe beträgt 18.400 Euro."),
        ("Protokoll neu.docx", "Protokoll Ausschuss\n\nDas Budget der Messe wurde um rund 1.150 Euro überschritten."),
    ),
    "an amount by which another one changes, in English": (
        "What is the rent of the Aldermere cold store?",
        ("Lease.pdf", LEASE + "The rent is €12,000."),
        ("Amendment.docx", CHANGE + "The rent rises by €1,500."),
    ),
    "an amount by which another one changes, in French": (
        "Quel est le budget de la foire ?",
        ("Compte rendu.docx", "Compte rendu du comité\n\nLe budget de la foire est fixé à 18 400 €."),
        ("Compte rendu 2.docx", "Compte rendu du comité\n\nLe budget de la foire a été dépassé de 1 150 €."),
    ),
    "invoices with numbers": (
        "When is the invoice of Alder Glass due?",
        ("Invoice 4711.pdf", "Invoice Alder Glass\n\nPayment is due on 3 May 2026."),
        ("Invoice 4812.pdf", "Invoice Alder Glass\n\nPayment is due on 9 June 2026."),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PLANTED)
def test_sources_that_disagree_are_shown_with_the_newer_one(case: str) -> None:
    """Each side has its file, its passage and its date."""
    (one,) = _found(*PLANTED[case])
    assert [side["name"] for side in one["sides"]] == [PLANTED[case][1][0], PLANTED[case][2][0]]
    assert [(side["date"], side["newer"]) for side in one["sides"]] == [(MAY, False), (SEPTEMBER, True)]
    assert all(side["value"] in side["quote"] for side in one["sides"])


@pytest.mark.parametrize("case", OTHERS)
def test_what_only_looks_like_a_conflict_is_not_shown(case: str) -> None:
    assert _found(*OTHERS[case]) == []


def test_a_conflict_is_shown_though_the_model_wrote_of_one_side_only() -> None:
    """An answer without any quote that states a value is enough where the question asks for it."""
    question, first, second = PLANTED["another rent"]
    files = [_file(*first), _file(*second, SEPTEMBER)]
    (one,) = conflicts.found(question, ["It is EUR 12,000."], [], files)
    assert [side["value"] for side in one["sides"]] == ["€12,000", "€13,500"]


def test_what_the_answer_does_not_rest_on_is_not_told() -> None:
    question, first, second = PLANTED["another rent"]
    files = [_file(*first), _file(*second, SEPTEMBER)]
    assert conflicts.found("Who is the landlord?", ["Aldermere Harbour Estates."], [], files) == []
    assert conflicts.found(question, ["It is EUR 12,000."], [], files)


def test_three_files_make_one_conflict() -> None:
    question, first, second = PLANTED["another rent"]
    about = "Letter about the lease of the Aldermere cold store\n\n"
    third = _file("Letter.txt", about + "The rent from 2027 is €14,000.", "")
    files = [_file(*first), _file(*second, SEPTEMBER), third]
    (one,) = conflicts.found(question, [], [(first[0], "Rent from 2027 is €12,000.")], files)
    assert sorted(side["value"] for side in one["sides"]) == ["€12,000", "€13,500", "€14,000"]
    assert not any(side["newer"] for side in one["sides"]), "the day of one of them is not known"


def test_who_may_not_see_one_of_the_files_learns_nothing_of_the_conflict() -> None:
    data = _found(*PLANTED["another rent"])
    part = {"type": CONFLICTS, "id": "conflicts", "data": data}
    assert redaction.files_of([part]) == {"Lease.pdf", "Amendment.docx"}
    (made,) = redaction.without([part], {"Amendment.docx": "refused"})
    assert made["data"] == []
    assert redaction.chunk_without(part, {"Lease.pdf": "unanswered"})["data"] == []


def test_two_files_about_another_company_than_that_of_the_question_are_no_conflict() -> None:
    """000-21."""
    minutes = (
        "Minutes Arden Supply\n\nA visit of Quartz Brothers is planned.\n\nThe meeting approved a budget of EUR 9,000."
    )
    other = "Minutes Quartz Brothers\n\nArden Supply was there.\n\nThe meeting approved a budget of EUR {}."
    files = [
        _file("a.md", minutes), _file("b.md", other.format("5,000")), _file("c.md", other.format("7,000"), SEPTEMBER),
    ]  # fmt: skip
    quotes = [("a.md", "The meeting approved a budget of EUR 9,000.")]
    question = "Which budget was approved in the meeting about {}?"
    assert conflicts.found(question.format("Arden Supply"), ["As the file says."], quotes, files) == []
    assert len(conflicts.found(question.format("Quartz Brothers"), ["As the file says."], [], files)) == 1
