"""The rows of which the Sandbox model states a figure: those that the question names, and none where no row has it."""

from typing import Any

import pytest

from leaf.documents import Segment
from leaf.documents.tables import Source
from tests.unit.test_sandbox_model_tables import answered

TABLES = {
    "Costs": "Item,Kind,Cost EUR\nVan,Car,100\nTruck,Car,200\n"
    "Hotel Adlon,Travel,50\nHotel Metz,Travel,70\nTaxi,Travel,30\n",
    "Trade": "Item;Amount EUR\nCar rental;10\nSmall car;20\nCarpet;400\n",
    "Ausgaben": "Ort;Art;Betrag (EUR)\nBerlin;Miete;100\nBerlin;Strom;20\nHamburg;Miete;80\nHamburg;Strom;30\n",
    "Dépenses": "Ville;Poste;Montant (€)\nParis;Loyer;100\nParis;Essence;20\nLyon;Loyer;80\nLyon;Essence;35\n",
    "Gastos": "Ciudad;Concepto;Importe (€)\nMadrid;Alquiler;100\nMadrid;Gasolina;20\nBilbao;Alquiler;80\n",
    "Spese": "Città;Voce;Importo (€)\nRoma;Affitto;100\nRoma;Benzina;20\nBari;Affitto;80\n",
    "Despesas": "Cidade;Rubrica;Valor (€)\nLisboa;Renda;100\nLisboa;Luz;20\nPorto;Renda;80\n",
    "Uitgaven": "Stad;Soort;Bedrag (€)\nGent;Huur;100\nGent;Stroom;20\nBrugge;Huur;80\n",
    "Budget": "Department,2023,2024,2025\nSales,10,20,30\nIT,5,6,7\n",
    "Orders": "Day,Customer,Amount EUR\n2026-01-03,Acme,10\n2026-02-04,Zenit,25\n2026-02-06,Acme,30\n",
    "Staff": "Name,Department,Salary (EUR)\nAnn Smith,Sales,4000\nBen Jones,IT,5000\nCem Kaya,Sales,3000\n",
    "Energy use": "Month,Building,Electricity (kWh),Gas (kWh)\nJan,North,9,50\nFeb,North,8,60\nJan,South,7,20\n",
    "Lager": "Artikel;Menge;Einkaufspreis (€)\nSchraube;100;0,10\nMutter;50;0,20\nBohrer;5;12,50\n",
    "Cours": "Cours;Élèves;Tarif (€)\nYoga;12;30\nDanse;8;40\nPiano;5;60\n",
    "Ventas": "Tienda;Mes;Ventas (€)\nCentro;Enero;1000\nCentro;Febrero;1200\nNorte;Enero;800\nSur;Enero;50\n",
    "Sales": "Year,Region,Sales EUR\n2024,North,10\n2025,North,20\n2025,West,30\n",
    "Staff salaries": "Name,Team,Salary (EUR)\nAnn,IT,4000\nBob,IT,3000\nCid,HR,2500\nDee,HR,3500\n",
    "Magazzino": "Articolo;Quantità;Prezzo (€)\nVite;100;0,10\nDado;50;0,20\n",
    "Fahrtkosten": "Datum;Fahrer;Liter;Kosten (€)\n03.01.2026;Anna;40;70,50\n01.02.2026;Bernd;50;90,00\n",
    "Operating budget": "Line,Amount EUR\nJuice,100\nCider,300\nTotal revenue,400\nRent,50\nStaff,150\n"
    "Total costs,200\n",
    "Harvest": "Orchard,Trees,Harvest (t)\nHill,200,10\nMill,300,20\n",
    "Household": "Date,Shop,Amount EUR\n2026-01-03,Aldi,10.50\n2026-01-09,Lidl,20\n2026-02-02,Aldi,30\n",
    "Purchases": "Date,Shop,Quantity,Price EUR\n2026-01-03,Aldi,1,10.50\n2026-01-09,Lidl,2,20\n",
    "Koszty": "Miasto;Rodzaj;Koszt (PLN);Data\nWarszawa;Czynsz;1000;2026-01-05\nWarszawa;Prąd;200;2026-02-05\n"
    "Kraków;Czynsz;800;2026-02-06\nKraków;Paliwo;350;2026-03-01\n",
    "Zamówienia": "Klient;Sztuk;Kwota (zł)\nAcme;3;120,50\nZenit;5;80,00\nAcme;2;99,50\n",
    "Fleet": "Plate,Type,Orchard\nN 101,Tractor,Hill\nN 305,Forklift,Hill\nN 306,Forklift electric,Hill\n",
    "Acme 2026-01-04": 'Article,Pack,Price EUR\n"crates, small, 10",1,10\n"crates, large, 40",1,20\n',
    "Training": "Role,Hygiene,Aid\nOperator,every year,no\nLead,every year,yes\n",
    "Things": "Item,Amount EUR\n" + "".join(f"thing {at},1\n" for at in range(300)) + "Boat Anna,1000\n",
}  # fmt: skip


def rows(name: str, question: str) -> tuple[list[list[Any]], str]:
    """The rows of the last computation, none where nothing was computed, and the answer."""
    source = Source("f", "1", f"{name}.csv", "csv", [Segment("all", None, TABLES[name])])
    text, made = answered(question, sources=(source,))
    computed = [one for one in made if one.get("query") and "LIMIT 200" not in " ".join(one["query"].split())]
    return (computed[-1]["rows"] if computed else []), text


@pytest.mark.parametrize(
    ("name", "question", "word"),
    [
        ("Costs", "What is the total cost of the boat?", "boat"),
        ("Costs", "How much did the boat cost in total?", "boat"),
        ("Costs", "What is the total cost of boats and cars?", "boats"),
        ("Costs", "How much more did the boat cost than the van?", "boat"),
        ("Costs", "What is the share of boats in the total cost?", "boats"),
        ("Costs", "What is the highest cost of a boat?", "boat"),
        ("Costs", "What is the total cost by supplier?", "supplier"),
        ("Ausgaben", "Wie hoch sind die Ausgaben für Autos insgesamt?", "Autos"),
        ("Ausgaben", "Wie hoch sind die Bootsausgaben insgesamt?", "Bootsausgaben"),
        ("Ausgaben", "Wie hoch sind die Ausgaben in München insgesamt?", "München"),
        ("Dépenses", "Quel est le total des dépenses pour le bateau ?", "bateau"),
        ("Dépenses", "Quel est le total des dépenses d'électricité ?", "électricité"),
        ("Gastos", "¿Cuál es el total de los gastos de la barca?", "barca"),
        ("Spese", "Qual è il totale delle spese per la barca?", "barca"),
        ("Despesas", "Qual é o total das despesas com o barco?", "barco"),
        ("Uitgaven", "Wat is het totaal van de uitgaven voor de boot?", "boot"),
        ("Staff", "What is the total bonus of the staff?", "bonus"),
        ("Energy use", "What is the total energy of the gas in March?", "March"),
        ("Sales", "What are the total sales in 2023?", "2023"),
        ("Training", "How many trays were bought in the first year of training?", "trays"),
    ],
)
def test_what_no_row_has_is_said_and_not_computed(name: str, question: str, word: str) -> None:
    """000-21."""
    found, text = rows(name, question)
    assert not any(any(one) for one in found)
    assert found or word in text.partition("http")[0] + text.partition(")")[2]


@pytest.mark.parametrize(
    ("name", "question", "result"),
    [
        ("Costs", "What is the total cost?", 450),
        ("Costs", "What do all items cost together according to the costs?", 450),
        ("Costs", "What is the total cost of the hotels?", 120),
        ("Costs", "What is the total travel cost?", 150),
        ("Costs", "What did the cars cost altogether, says the list of costs?", 300),
        ("Costs", "What is the total amount of the costs in euros?", 450),
        ("Trade", "What is the total amount of cars in the trade?", 30),
        ("Ausgaben", "Wie hoch sind die Ausgaben insgesamt?", 230),
        ("Ausgaben", "Wie hoch sind die Gesamtausgaben für Berlin?", 120),
        ("Dépenses", "Quelle est la somme des dépenses d'essence ?", 55),
        ("Spese", "Qual è il totale delle spese dell'affitto?", 180),
        ("Despesas", "Quanto é a despesa total do Porto?", 80),
        ("Budget", "What is the total budget in 2024?", 26),
        ("Staff", "What is the total salary of employee Ann Smith in the staff list?", 4000),
        ("Energy use", "What is the total energy of the gas in January?", 70),
        ("Lager", "Wie viele Schrauben sind im Lager?", 100),
        ("Cours", "Quel est le tarif le plus élevé des cours ?", 60),
        ("Ventas", "¿Cuál es el total de las ventas de la tienda Sur?", 50),
        ("Sales", "What are the total sales in 2025?", 50),
        ("Things", "What is the total amount of the boat among the things?", 1000),
        ("Fleet", "How many forklifts does the fleet have?", 2),
        ("Fleet", "How many tractors does the fleet have?", 1),
    ],
)
def test_the_rows_that_a_noun_names_are_added(name: str, question: str, result: float) -> None:
    """000-21."""
    found, text = rows(name, question)
    assert [one[-1] for one in found] == [result], text


def test_a_word_of_the_sheet_names_no_column() -> None:
    """Of a price list, the number of articles is no sum of prices. 000-21."""
    rows_of = [Segment("sheet Price list Acme", None, TABLES["Acme 2026-01-04"])]
    text, made = answered(
        "How many articles are in the price list of Acme?",
        sources=(Source("f", "1", "Acme 2026-01-04.xlsx", "xlsx", rows_of),),
    )
    assert made[-1]["rows"] == [[2]], text


@pytest.mark.parametrize(
    ("name", "question", "result"),
    [
        ("Costs", "How much more did the truck cost than the van?", 100),
        ("Costs", "How much less did the van cost than the truck?", 100),
        ("Costs", "How much more did the van cost than the truck?", -100),
        ("Costs", "What is the difference between the cost of the truck and the van?", 100),
        ("Ausgaben", "Wie viel mehr Ausgaben hat Berlin als Hamburg?", 10),
        ("Ausgaben", "Um wie viel sind die Ausgaben für Miete in Berlin höher als in Hamburg?", 20),
        ("Dépenses", "Quelle est la différence des dépenses entre Paris et Lyon ?", 5),
        ("Gastos", "¿Cuál es la diferencia de los gastos entre Madrid y Bilbao?", 40),
        ("Spese", "Quante spese ha in più Roma rispetto a Bari?", 40),
        ("Budget", "How much higher is the budget in 2025 than in 2023?", 22),
        ("Budget", "What is the difference between 2024 and 2025 in the budget for sales?", 10),
        ("Orders", "What is the difference of the amount of orders between January and February 2026?", 45),
        ("Lager", "Wie viel mehr Schrauben als Muttern sind im Lager?", 50),
    ],
)
def test_two_groups_of_rows_are_put_side_by_side(name: str, question: str, result: float) -> None:
    """000-21."""
    found, text = rows(name, question)
    assert [one[-1] for one in found] == [result], text


@pytest.mark.parametrize(
    ("name", "question", "result"),
    [
        ("Koszty", "Jakie są łączne koszty?", [2350]),
        ("Koszty", "Ile wydaliśmy w sumie?", [2350]),
        ("Koszty", "Ile wynoszą koszty w Warszawie łącznie?", [1200]),
        ("Koszty", "Jaka jest suma kosztów czynszu?", [1800]),
        ("Koszty", "Jaki jest średni koszt?", [587.5]),
        ("Koszty", "Jaki jest najwyższy koszt?", ["Warszawa", 1000]),
        ("Koszty", "Jaki jest najniższy koszt?", ["Warszawa", 200]),
        ("Koszty", "Jaka jest suma kosztów od lutego 2026?", [1350]),
        ("Koszty", "O ile koszty w Warszawie są wyższe niż w Krakowie?", [50]),
        ("Koszty", "Jaka jest suma kosztów bez Krakowa?", [1200]),
        ("Koszty", "Jaki jest udział czynszu w kosztach?", [76.6]),
        ("Zamówienia", "Ile zamówień ma Acme?", [2]),
        ("Zamówienia", "Jaka jest łączna kwota zamówień?", [300]),
        ("Despesas", "Qual é a maior despesa?", ["Lisboa", 100]),
        ("Despesas", "Quantas despesas há?", [3]),
        ("Uitgaven", "Wat is de laagste uitgave?", ["Gent", 20]),
        ("Uitgaven", "Hoeveel uitgaven zijn er?", [3]),
        # IT is no pronoun, and the name of a file may be a compound of the header's.
        ("Staff salaries", "What is the total salary of the IT team in the staff salaries?", [7000]),
        ("Staff salaries", "What is the total salary of HR and IT in the staff salaries?", [13000]),
        ("Staff salaries", "How many people are in the IT team of the staff salaries?", [2]),
        ("Magazzino", "Quanti dadi ci sono in magazzino?", [50]),
        ("Fahrtkosten", "Wie hoch sind die Fahrtkosten insgesamt?", [160.5]),
        # What is counted may be a unit.
        ("Harvest", "How many tonnes of harvest are there in total?", [30]),
        # The whole is what the question names, and not all rows.
        ("Operating budget", "What share of total revenue is juice in the operating budget, in percent?", [25.0]),
        # A table with another word for the thing, or without any; and one of years, of which each is told.
        ("Household", "How much did we spend in total?", [60.5]),
        ("Costs", "How much did we spend in total?", [450]),
        ("Ausgaben", "Wie viel haben wir insgesamt ausgegeben?", [230]),
        ("Budget", "What is the total budget?", [15, 26, 37]),
    ],
)
def test_other_words_for_a_thing_and_further_languages_are_known(name: str, question: str, result: list[Any]) -> None:
    """000-21."""
    found, text = rows(name, question)
    assert found == [result], text


def test_each_year_of_a_table_is_told_with_its_figure() -> None:
    """000-21."""
    assert "**2023: 10; 2024: 20; 2025: 30**" in rows("Budget", "What is the total budget for sales?")[1]


@pytest.mark.parametrize(
    ("name", "question", "said"),
    [
        ("Koszty", "Jaka jest suma kosztów łodzi?", "łodzi"),
        ("Koszty", "Jaka jest suma kosztów w Gdańsku?", "Gdańsku"),
        ("Ausgaben", "What is the total cost of the office in Berlin?", "office"),
        ("Staff salaries", "What is the total salary of the QA team in the staff salaries?", "QA"),
        ("Magazzino", "Quanti martelli ci sono in magazzino?", "martelli"),
        # Prices of pieces are no amounts that were spent.
        ("Purchases", "How much did we spend in total?", ""),
    ],
)
def test_what_a_table_does_not_tell_is_not_computed(name: str, question: str, said: str) -> None:
    """000-21."""
    found, text = rows(name, question)
    assert found == []
    assert said in text


def test_a_year_without_a_value_leaves_the_other_in_the_sum() -> None:
    """000-21."""
    sheet = "Department,2023,2024\nSales,10,20\nIT,,6\n"
    source = Source("f", "1", "Budget.csv", "csv", [Segment("all", None, sheet)])
    _, made = answered("What is the total budget in 2023 and 2024?", sources=(source,))
    assert made[-1]["rows"] == [[36]]
