<?php

/** Prints which addresses validators of PHP accept: one JSON object by name of the validator, then by address. */

declare(strict_types=1);

use Egulias\EmailValidator\EmailValidator;
use Egulias\EmailValidator\Validation\NoRFCWarningsValidation;
use Illuminate\Translation\ArrayLoader;
use Illuminate\Translation\Translator;
use Illuminate\Validation\Factory;
use Symfony\Component\Validator\Constraints\Email;
use Symfony\Component\Validator\Validation;

foreach (['Egulias/EmailValidator', 'Symfony/Component/Validator', 'Illuminate/Validation'] as $folder) {
    require_once "/usr/share/php/$folder/autoload.php";
}
foreach (['Translation'] as $folder) {
    require_once "/usr/share/php/Illuminate/$folder/autoload.php";
}

$laravel = new Factory(new Translator(new ArrayLoader(), 'en'));
$symfony = Validation::createValidator();
$symfonyEmail = static fn (string $mode): callable => static fn (string $address): bool =>
    count($symfony->validate($address, new Email(mode: $mode))) === 0;
$laravelRule = static fn (string $rule): callable => static fn (string $address): bool =>
    $laravel->make(['email' => $address], ['email' => $rule])->passes();
$validators = [
    'PHP FILTER_VALIDATE_EMAIL' => static fn (string $address): bool =>
        filter_var($address, FILTER_VALIDATE_EMAIL) !== false,
    'Symfony Email (html5)' => $symfonyEmail(Email::VALIDATION_MODE_HTML5),
    'Symfony Email (strict)' => $symfonyEmail(Email::VALIDATION_MODE_STRICT),
    'Laravel email' => $laravelRule('email'),
    'Laravel email:rfc,strict,filter' => $laravelRule('email:rfc,strict,filter'),
    'egulias without warnings' => static fn (string $address): bool =>
        (new EmailValidator())->isValid($address, new NoRFCWarningsValidation()),
];

$results = [];
foreach ($validators as $name => $accepts) {
    foreach (array_slice($argv, 1) as $address) {
        $results[$name][$address] = $accepts($address);
    }
}
echo json_encode($results, JSON_THROW_ON_ERROR), "\n";
