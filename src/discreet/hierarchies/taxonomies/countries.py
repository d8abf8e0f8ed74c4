"""Countries by their codes (ISO 3166) and English names, under the regions that the United Nations sort them into."""

from __future__ import annotations

from functools import cache

# Continent: region: code of two letters, of three, name.
_REGIONS = """
Africa
  Northern Africa: DZ DZA Algeria, EG EGY Egypt, LY LBY Libya, MA MAR Morocco, SD SDN Sudan, TN TUN Tunisia,
    EH ESH Western Sahara
  Eastern Africa: BI BDI Burundi, KM COM Comoros, DJ DJI Djibouti, ER ERI Eritrea, ET ETH Ethiopia, KE KEN Kenya,
    MG MDG Madagascar, MW MWI Malawi, MU MUS Mauritius, YT MYT Mayotte, MZ MOZ Mozambique, RE REU Réunion,
    RW RWA Rwanda, SC SYC Seychelles, SO SOM Somalia, SS SSD South Sudan, TZ TZA Tanzania, UG UGA Uganda,
    ZM ZMB Zambia, ZW ZWE Zimbabwe, IO IOT British Indian Ocean Territory, TF ATF French Southern Territories
  Middle Africa: AO AGO Angola, CM CMR Cameroon, CF CAF Central African Republic, TD TCD Chad, CG COG Congo,
    CD COD Democratic Republic of the Congo, GQ GNQ Equatorial Guinea, GA GAB Gabon, ST STP Sao Tome and Principe
  Southern Africa: BW BWA Botswana, SZ SWZ Eswatini, LS LSO Lesotho, NA NAM Namibia, ZA ZAF South Africa
  Western Africa: BJ BEN Benin, BF BFA Burkina Faso, CV CPV Cabo Verde, CI CIV Côte d'Ivoire, GM GMB Gambia,
    GH GHA Ghana, GN GIN Guinea, GW GNB Guinea-Bissau, LR LBR Liberia, ML MLI Mali, MR MRT Mauritania, NE NER Niger,
    NG NGA Nigeria, SH SHN Saint Helena, SN SEN Senegal, SL SLE Sierra Leone, TG TGO Togo
America
  Northern America: BM BMU Bermuda, CA CAN Canada, GL GRL Greenland, PM SPM Saint Pierre and Miquelon,
    US USA United States
  Central America: BZ BLZ Belize, CR CRI Costa Rica, SV SLV El Salvador, GT GTM Guatemala, HN HND Honduras,
    MX MEX Mexico, NI NIC Nicaragua, PA PAN Panama
  Caribbean: AI AIA Anguilla, AG ATG Antigua and Barbuda, AW ABW Aruba, BS BHS Bahamas, BB BRB Barbados,
    BQ BES Caribbean Netherlands, VG VGB British Virgin Islands, KY CYM Cayman Islands, CU CUB Cuba, CW CUW Curaçao,
    DM DMA Dominica, DO DOM Dominican Republic, GD GRD Grenada, GP GLP Guadeloupe, HT HTI Haiti, JM JAM Jamaica,
    MQ MTQ Martinique, MS MSR Montserrat, PR PRI Puerto Rico, BL BLM Saint Barthélemy, KN KNA Saint Kitts and Nevis,
    LC LCA Saint Lucia, MF MAF Saint Martin, VC VCT Saint Vincent and the Grenadines, SX SXM Sint Maarten,
    TT TTO Trinidad and Tobago, TC TCA Turks and Caicos Islands, VI VIR United States Virgin Islands
  South America: AR ARG Argentina, BO BOL Bolivia, BR BRA Brazil, CL CHL Chile, CO COL Colombia, EC ECU Ecuador,
    FK FLK Falkland Islands, GF GUF French Guiana, GY GUY Guyana, PY PRY Paraguay, PE PER Peru, SR SUR Suriname,
    UY URY Uruguay, VE VEN Venezuela, GS SGS South Georgia and the South Sandwich Islands, BV BVT Bouvet Island
Asia
  Central Asia: KZ KAZ Kazakhstan, KG KGZ Kyrgyzstan, TJ TJK Tajikistan, TM TKM Turkmenistan, UZ UZB Uzbekistan
  Eastern Asia: CN CHN China, HK HKG Hong Kong, JP JPN Japan, MO MAC Macao, MN MNG Mongolia, KP PRK North Korea,
    KR KOR South Korea, TW TWN Taiwan
  South-eastern Asia: BN BRN Brunei, KH KHM Cambodia, ID IDN Indonesia, LA LAO Laos, MY MYS Malaysia, MM MMR Myanmar,
    PH PHL Philippines, SG SGP Singapore, TH THA Thailand, TL TLS Timor-Leste, VN VNM Viet Nam
  Southern Asia: AF AFG Afghanistan, BD BGD Bangladesh, BT BTN Bhutan, IN IND India, IR IRN Iran, MV MDV Maldives,
    NP NPL Nepal, PK PAK Pakistan, LK LKA Sri Lanka
  Western Asia: AM ARM Armenia, AZ AZE Azerbaijan, BH BHR Bahrain, CY CYP Cyprus, GE GEO Georgia, IQ IRQ Iraq,
    IL ISR Israel, JO JOR Jordan, KW KWT Kuwait, LB LBN Lebanon, OM OMN Oman, PS PSE Palestine, QA QAT Qatar,
    SA SAU Saudi Arabia, SY SYR Syria, TR TUR Türkiye, AE ARE United Arab Emirates, YE YEM Yemen
Europe
  Eastern Europe: BY BLR Belarus, BG BGR Bulgaria, CZ CZE Czechia, HU HUN Hungary, MD MDA Moldova, PL POL Poland,
    RO ROU Romania, RU RUS Russia, SK SVK Slovakia, UA UKR Ukraine
  Northern Europe: AX ALA Åland Islands, DK DNK Denmark, EE EST Estonia, FO FRO Faroe Islands, FI FIN Finland,
    GG GGY Guernsey, IS ISL Iceland, IE IRL Ireland, IM IMN Isle of Man, JE JEY Jersey, LV LVA Latvia, LT LTU Lithuania,
    NO NOR Norway, SJ SJM Svalbard and Jan Mayen, SE SWE Sweden, GB GBR United Kingdom
  Southern Europe: AL ALB Albania, AD AND Andorra, BA BIH Bosnia and Herzegovina, HR HRV Croatia, GI GIB Gibraltar,
    GR GRC Greece, VA VAT Holy See, IT ITA Italy, MT MLT Malta, ME MNE Montenegro, MK MKD North Macedonia,
    PT PRT Portugal, SM SMR San Marino, RS SRB Serbia, SI SVN Slovenia, ES ESP Spain
  Western Europe: AT AUT Austria, BE BEL Belgium, FR FRA France, DE DEU Germany, LI LIE Liechtenstein,
    LU LUX Luxembourg, MC MCO Monaco, NL NLD Netherlands, CH CHE Switzerland
Oceania
  Australia and New Zealand: AU AUS Australia, NZ NZL New Zealand, CX CXR Christmas Island,
    CC CCK Cocos (Keeling) Islands, NF NFK Norfolk Island, HM HMD Heard and McDonald Islands
  Melanesia: FJ FJI Fiji, NC NCL New Caledonia, PG PNG Papua New Guinea, SB SLB Solomon Islands, VU VUT Vanuatu
  Micronesia: GU GUM Guam, KI KIR Kiribati, MH MHL Marshall Islands, FM FSM Federated States of Micronesia,
    NR NRU Nauru, MP MNP Northern Mariana Islands, PW PLW Palau, UM UMI United States Minor Outlying Islands
  Polynesia: AS ASM American Samoa, CK COK Cook Islands, PF PYF French Polynesia, NU NIU Niue, PN PCN Pitcairn,
    WS WSM Samoa, TK TKL Tokelau, TO TON Tonga, TV TUV Tuvalu, WF WLF Wallis and Futuna
Antarctica
  Antarctica: AQ ATA Antarctica
"""

# Other names that tables have for them.
_ALIASES = """
US United States of America, US USA, GB Great Britain, GB UK, GB England, GB Scotland, GB Wales, RU Russian Federation,
KR Republic of Korea, KR Korea, KP Democratic People's Republic of Korea, VN Vietnam, TR Turkey, CZ Czech Republic,
IR Iran (Islamic Republic of), SY Syrian Arab Republic, LA Lao People's Democratic Republic, MD Republic of Moldova,
TZ United Republic of Tanzania, VE Venezuela (Bolivarian Republic of), BO Bolivia (Plurinational State of),
CI Ivory Coast, CV Cape Verde, SZ Swaziland, MK Macedonia, MM Burma, TL East Timor, VA Vatican, PS State of Palestine,
CD DR Congo, CG Republic of the Congo, NL Holland, NL The Netherlands, BN Brunei Darussalam, HK Hong Kong SAR,
TW Taiwan (China), PH The Philippines, GM The Gambia, BS The Bahamas, CW Curacao, CI Cote d'Ivoire, RE Reunion,
FM Micronesia, BL Saint Barthelemy, AX Aland Islands
"""

NOTATIONS = ("two letters", "three letters", "names")


@cache
def countries() -> tuple[tuple[str, str, str, str, str], ...]:
    """Code of two letters, code of three, name, region, continent of every country.

    >>> len(countries()), countries()[0]
    (249, ('DZ', 'DZA', 'Algeria', 'Northern Africa', 'Africa'))
    """
    rows = []
    continent = region = ""
    for line in _REGIONS.strip().splitlines():
        if not line.startswith(" "):
            continent = line
            continue
        if not line.startswith("    "):
            region, _, line = line.strip().partition(": ")
        for entry in line.strip().rstrip(",").split(", "):
            two, three, name = entry.split(" ", 2)
            rows.append((two, three, name, region, continent))
    return tuple(rows)


@cache
def _known() -> dict[str, tuple[int, int]]:
    """By what it may be called in a table, folded: the country's place, and the notation."""
    places = {row[0]: i for i, row in enumerate(countries())}
    known = {_folded(alias): (places[two], 2) for two, alias in _aliases()}
    for i, row in enumerate(countries()):
        known |= {_folded(row[notation]): (i, notation) for notation in range(3)}
    return known


def _aliases() -> list[tuple[str, str]]:
    entries = _ALIASES.replace("\n", " ").strip().split(", ")
    return [(two, alias) for two, _, alias in (entry.strip().partition(" ") for entry in entries)]


def other_names(two: str) -> tuple[str, ...]:
    """What a country is called besides.

    >>> other_names("TR"), other_names("PE")
    (('Turkey',), ())
    """
    return tuple(alias for code, alias in _aliases() if code == two)


def country(text: str) -> tuple[int, int] | None:
    """The place among `countries` of what a text names, and in which notation; None if it is no country.

    >>> country("de"), country("DEU"), country(" Viet nam"), country("Puerto-Rico"), country("Atlantis")
    ((213, 0), (213, 1), (140, 2), (91, 2), None)
    """
    return _known().get(_folded(text))


def _folded(text: str) -> str:
    return " ".join(text.replace("-", " ").replace("_", " ").replace("&", "and").casefold().split())
